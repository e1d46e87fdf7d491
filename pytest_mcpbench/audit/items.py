"""Item analysis of a suite: which of its tasks tell agents of different ability apart."""

import hashlib
import random
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.lexical.agent import LexicalAgent
from pytest_mcpbench.agents.oracle import OracleAgent, words_of
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall, ScriptedStep
from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.audit import answers
from pytest_mcpbench.audit.mutants import call_mistakes
from pytest_mcpbench.audit.outcome import Fate, fate_of_right
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.audit.values import leaves
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.task import Task

# Simulated agents of a given ability: the reference, each decision of which is wrong with a given probability.

_CALL_MISTAKES = ("wrong_value", "extra_argument", "missing_call")
_ANSWER_MISTAKES = ("other_numbers", "names_exchanged", "negated")
_NO_ANSWER = "refused"


@dataclass(frozen=True)
class MistakenDecision:
    """A call or the answer of a reference attempt, and the attempt in which it is wrong."""

    parts: int
    """Things to get right: the call itself, and each value in it that the request does not state."""
    script: Script


@dataclass(frozen=True)
class PlayedDecision:
    """A decision of which it is known whether an attempt that takes it wrongly fails."""

    parts: int
    is_noticed: bool


def decisions_of(subject: Subject) -> Iterator[MistakenDecision]:
    """Yield the decisions of the subject's reference attempt, each with one mistake that its task's id determines.

    Whatever follows from the result of a wrong call is wrong, too: later calls and an answer with a word that neither
    the request nor another result contains; a number in the answer may also be computed.
    """
    draw = random.Random(subject.task.id)
    known = words_of(subject.request)
    for number, call in enumerate(subject.script.calls):
        looked_up = sum(not words_of(str(value)) <= known for _, value in leaves(call.arguments))
        yield MistakenDecision(1 + looked_up, _with_wrong_call(subject, number, draw))
    if answers.applies(subject):
        yield MistakenDecision(1, _with_wrong_answer(subject.script, draw))


def passes(decisions: Sequence[PlayedDecision], ability: float, draw: random.Random) -> bool:
    """Return whether a simulated attempt passes; ``ability`` is the probability that one part of a decision is right.

    An attempt fails with the first mistake that fails alone: mistakes do not mend each other.
    """
    mistakes = [draw.random() >= ability**decision.parts for decision in decisions]
    return not any(decision.is_noticed for decision, is_wrong in zip(decisions, mistakes, strict=True) if is_wrong)


def _with_wrong_call(subject: Subject, wrong: int, draw: random.Random) -> Script:
    known, lost = words_of(subject.request), set[str]()
    records, references = iter(subject.evidence.calls), subject.task.expected.flat_calls
    steps: list[ScriptedStep] = []
    number = 0
    for step in subject.script.steps:
        made: list[ScriptedCall] = []
        for call in step.calls:
            result = next(records).result
            words = words_of(result.text if result else "")
            if number == wrong or words_of([*call.arguments.values()]) & (lost - known):
                reference = references[number] if number < len(references) else None
                mistakes = [each for kind, _, each in call_mistakes(subject, call, reference) if kind in _CALL_MISTAKES]
                made += draw.choice(mistakes)
                lost |= words
            else:
                made.append(call)
                known |= words
            number += 1
        if made or step.text:
            steps.append(replace(step, calls=tuple(made)))
    script = Script(tuple(steps))
    # A number that no right result contains was computed, perhaps from the one that is lost.
    needed = {word for word in words_of(script.answer) if word in lost or any(map(str.isdigit, word))}
    return _with_wrong_answer(script, draw) if answers.applies(subject) and needed - known else script


def _with_wrong_answer(script: Script, draw: random.Random) -> Script:
    wrong = dict(answers.wrong_answers(script.answer))
    choices = [wrong[kind] for kind in _ANSWER_MISTAKES if kind in wrong]
    return script.with_answer(draw.choice(choices or [wrong[_NO_ANSWER]]))


_QUICK = 20
_SHARE_OF_CORE = 3
_SHARE_OF_HARD = 4
_CALLS = ((0, "0"), (1, "1"), (2, "2"), (4, "3–4"), (7, "5–7"))
_MORE_CALLS = "8 or more"


@dataclass(frozen=True)
class PlayedTask:
    """A task with what attempts at it showed."""

    id: str
    category: str
    calls: int
    """Calls of the reference attempt."""
    is_passed_by_lexical: bool
    decisions: tuple[PlayedDecision, ...]
    open_decisions: int = 0
    """Decisions that are left out: the attempt has no verdict, or could not be made."""


@dataclass(frozen=True)
class Item:
    """A task with its statistics."""

    id: str
    category: str
    calls: int
    is_passed_by_lexical: bool
    rates: Mapping[float, float]
    """Ability -> pass rate of the simulated agents."""
    discrimination: float | None
    """Correlation of passing with the number of other tasks passed, over the simulated attempts; ``None`` if all of
    them pass or all fail."""

    @property
    def rate(self) -> float:
        """Mean pass rate of the simulated agents."""
        return statistics.fmean(self.rates.values())


async def play_tasks(
    player: Player, tasks: Sequence[Task], tag: str, on_progress: Callable[[int, int], None]
) -> tuple[list[PlayedTask], list[str]]:
    """Play each task by ``oracle``, by ``lexical`` and with each decision wrong once.

    Decisions whose wrong attempt has no verdict, or cannot be made, are left out. Return the played tasks, and the ids
    of those whose reference does not pass; ``tag`` names the category.
    """
    finished = 0

    async def fate_of(task: Task, agent: Agent) -> Fate:
        return _fate(player, task, await player.play(task, agent))

    async def play(task: Task) -> PlayedTask | None:
        nonlocal finished
        reference = await player.play(task, OracleAgent())
        played = None
        if _fate(player, task, reference) == "passed":
            is_passed_by_lexical = await fate_of(task, LexicalAgent()) == "passed"
            subject = Subject(task, reference.evidence)
            fates = [(each.parts, await fate_of(task, ScriptAgent(each.script))) for each in decisions_of(subject)]
            known = [(parts, fate) for parts, fate in fates if fate in ("passed", "failed")]
            decisions = tuple(PlayedDecision(parts, fate == "failed") for parts, fate in known)
            category = task.tags.get(tag, "")
            calls = len(subject.script.calls)
            left_out = len(fates) - len(decisions)
            played = PlayedTask(task.id, category, calls, is_passed_by_lexical, decisions, left_out)
        finished += 1
        on_progress(finished, len(tasks))
        return played

    found = await concurrent_map(tasks, play, concurrency=4)
    return (
        [each for each in found if each is not None],
        [task.id for task, each in zip(tasks, found, strict=True) if each is None],
    )


def _fate(player: Player, task: Task, result: AttemptResult) -> Fate:
    return "error" if result.error else fate_of_right(player.score(task, result.evidence))[0]


def analyse(tasks: Sequence[PlayedTask], abilities: Sequence[float], trials: int) -> list[Item]:
    """Return the statistics of the tasks from ``trials`` simulated attempts of each ability."""
    attempts = {
        task.id: [
            passes(task.decisions, ability, random.Random(f"{task.id}/{ability}/{trial}"))
            for ability in abilities
            for trial in range(trials)
        ]
        for task in tasks
    }
    totals = [sum(column) for column in zip(*attempts.values(), strict=True)]
    items = []
    for task in tasks:
        rates = {
            ability: statistics.fmean(attempts[task.id][at * trials : (at + 1) * trials])
            for at, ability in enumerate(abilities)
        }
        own = [float(each) for each in attempts[task.id]]
        # Corrected item-total correlation: that of an item with the score on all other items.
        rest = [total - each for total, each in zip(totals, own, strict=True)]
        is_constant = len(set(own)) == 1 or len(set(rest)) == 1
        discrimination = None if is_constant else statistics.correlation(own, rest)
        items.append(Item(task.id, task.category, task.calls, task.is_passed_by_lexical, rates, discrimination))
    return items


def splits_of(items: Sequence[Item]) -> dict[str, list[str]]:
    """Return the ids of ``quick``, ``core`` and ``hard``, in the order of the tasks.

    ``core`` has a third of the tasks and ``quick`` 20 of these: of each category the same share, the most
    discriminating first. ``hard`` has the quarter with the lowest pass rates.
    """
    by_category = sorted(items, key=lambda item: (item.category, *_most_discriminating(item)))
    ranked: list[tuple[float, Item]] = []
    for _, group in groupby(by_category, key=lambda item: item.category):
        members = list(group)
        ranked += [((at + 0.5) / len(members), item) for at, item in enumerate(members)]
    ranked.sort(key=lambda each: (each[0], *_most_discriminating(each[1])))
    spread = [item for _, item in ranked]
    hardest = sorted(items, key=lambda item: (item.rate, item.is_passed_by_lexical, *_most_discriminating(item)))
    chosen = {
        "quick": spread[:_QUICK],
        "core": spread[: max(_QUICK, len(items) // _SHARE_OF_CORE)],
        "hard": hardest[: -(-len(items) // _SHARE_OF_HARD)],
    }
    return {name: [item.id for item in items if item in among] for name, among in chosen.items()}


def _most_discriminating(item: Item) -> tuple[float, bytes]:
    """Return a key that sorts the most discriminating items first, and equal ones by the hash of their ids."""
    return 2.0 if item.discrimination is None else -round(item.discrimination, 2), hashlib.sha256(
        item.id.encode()
    ).digest()


def report_lines(
    items: Sequence[Item], splits: Mapping[str, Iterable[str]], played: Sequence[PlayedTask] = ()
) -> Iterator[str]:
    """Yield the lines that a person reads.

    They show pass rates by number of calls and by split, tasks that tell nothing, and mistakes in the played tasks that
    no check noticed.
    """
    abilities = list(items[0].rates) if items else []
    yield f"{'':<16}{'tasks':>7}{'lexical':>9}" + "".join(f"{ability:>8g}" for ability in abilities)
    rows: list[tuple[str, list[Item]]] = [("all", list(items))]
    for label in (*(label for _, label in _CALLS), _MORE_CALLS):
        rows.append((f"calls {label}", [item for item in items if _calls_label(item.calls) == label]))
    for name, ids in splits.items():
        chosen = frozenset(ids)
        rows.append((name, [item for item in items if item.id in chosen]))
    for label, members in rows:
        if members:
            rates = [statistics.fmean(item.rates[ability] for item in members) for ability in abilities]
            lexical = statistics.fmean(item.is_passed_by_lexical for item in members)
            yield f"{label:<16}{len(members):>7}{lexical:>9.1%}" + "".join(f"{rate:>8.1%}" for rate in rates)
    known = [item.discrimination for item in items if item.discrimination is not None]
    if known:
        low = sum(each < 0.2 for each in known)
        yield f"discrimination: median {statistics.median(known):.2f}, below 0.2 in {low} of {len(known)} tasks"
    everyone = [item for item in items if item.rate == 1]
    nobody = [item.id for item in items if not item.is_passed_by_lexical and item.rate == 0]
    yield f"passed by every simulated attempt: {len(everyone)} {' '.join(item.id for item in everyone)}".rstrip()
    yield f"passed by these and by lexical: {sum(item.is_passed_by_lexical for item in everyone)}"
    yield f"passed by oracle alone: {len(nobody)} {' '.join(nobody)}".rstrip()
    tried = [task.decisions for task in played]
    missed = sum(not each.is_noticed for decisions in tried for each in decisions)
    blind = sum(bool(decisions) and not any(each.is_noticed for each in decisions) for decisions in tried)
    yield f"mistakes that pass: {missed} of {sum(map(len, tried))}; tasks in which all do: {blind}"
    if open_decisions := sum(task.open_decisions for task in played):
        yield f"mistakes left out, whose attempts have no verdict or could not be made: {open_decisions}"


def _calls_label(calls: int) -> str:
    return next((label for most, label in _CALLS if calls <= most), _MORE_CALLS)
