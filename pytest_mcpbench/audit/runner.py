"""Audit of a suite: variants of its reference attempts, wrong or right, are played and scored."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall
from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.audit import answers
from pytest_mcpbench.audit.mutants import Mutant, mutants_of
from pytest_mcpbench.audit.outcome import AuditReport, MutantOutcome, fate_of, fate_of_right
from pytest_mcpbench.audit.right import free_texts, right_variants, with_text
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.valid_tools import valid_servers

DONORS_PER_TASK = 2
"""Number of calls of other tasks that are tried as harmful, and as harmless, extra calls."""

Reword = Callable[[str], Awaitable[str]]
"""Function that says in other words what a text says."""


@dataclass(frozen=True)
class AuditSettings:
    """The extent of an audit."""

    kinds: tuple[str, ...] = ()
    """Kinds of mutants or variants to play; empty: all."""
    mutants_per_task: int | None = None
    """Largest number of mutants of one task, drawn at random from all of them; ``None``: all."""
    is_right: bool = False
    """True to play right variants, which must pass, in place of mutants."""
    reword: Reword | None = None
    """Writer of further right variants: texts and answers in other words."""
    concurrency: int = 4
    seed: int = 0


@dataclass(frozen=True)
class _Reference:
    """A task's reference attempt with its scores; without scores if it ended in an error."""

    task: Task
    result: AttemptResult
    card: Scorecard | None

    @property
    def problem(self) -> str:
        """The reason why the reference attempt does not pass; empty if it passes."""
        if self.card is None:
            return str(self.result.error)
        below = [*self.card.shortfalls, *self.card.unscored]
        return f"the reference attempt does not reach the floor of {', '.join(below)}" if below else ""

    @property
    def changes_worlds(self) -> bool:
        return any(world.changes for world in self.result.evidence.worlds)

    @property
    def calls(self) -> tuple[ScriptedCall, ...]:
        return Script.of(self.result.evidence.trajectory).calls


async def audit(
    player: Player,
    tasks: Sequence[Task],
    settings: AuditSettings | None = None,
    on_progress: Callable[[int, int], None] = lambda _finished, _total: None,
) -> AuditReport:
    """Return the outcomes of all mutants of the tasks.

    Args:
        player: Plays and scores the attempts.
        tasks: The tasks; one whose reference attempt does not pass is reported and has no mutants.
        settings: The extent of the audit.
        on_progress: Called after each task with the number of finished tasks and of all.
    """
    settings = settings or AuditSettings()
    concurrency = settings.concurrency

    async def play_reference(task: Task) -> _Reference:
        result = await player.play(task, OracleAgent())
        return _Reference(task, result, None if result.error else player.score(task, result.evidence))

    references = await concurrent_map(tasks, play_reference, concurrency=concurrency)
    playable = [reference for reference in references if not reference.problem]
    finished = 0

    async def play_mutants(reference: _Reference) -> list[MutantOutcome]:
        nonlocal finished
        subject = _subject(player, reference, playable, settings.seed)
        mutants, unwritten = await _selected_mutants(subject, settings)
        outcomes = [await _outcome(player, subject, mutant, is_right=settings.is_right) for mutant in mutants]
        outcomes += unwritten
        finished += 1
        on_progress(finished, len(playable))
        return outcomes

    outcomes = await concurrent_map(playable, play_mutants, concurrency=concurrency)
    return AuditReport(
        player.suite.name,
        tuple(outcome for of_task in outcomes for outcome in of_task),
        tuple((each.task.id, each.problem) for each in references if each.problem),
        settings.is_right,
    )


async def _selected_mutants(subject: Subject, settings: AuditSettings) -> tuple[Sequence[Mutant], list[MutantOutcome]]:
    """Return the mutants to play, and an error for each that a model was to write and did not."""
    written = [*(right_variants(subject) if settings.is_right else mutants_of(subject))]
    errors: list[MutantOutcome] = []
    if settings.reword is not None:
        for kind, place, text, changed in _reworded_parts(subject):
            if settings.kinds and kind not in settings.kinds:
                continue
            try:
                other = await settings.reword(text)
            except ModelError as error:
                errors.append(MutantOutcome(subject.task.id, kind, place, "error", detail=str(error)))
                continue
            if not other:
                problem = "the model wrote nothing in place of the text"
                errors.append(MutantOutcome(subject.task.id, kind, place, "error", detail=problem))
            elif other != text:
                written.append(Mutant(kind, place, changed(other)))
    mutants = [mutant for mutant in written if not settings.kinds or mutant.kind in settings.kinds]
    if settings.mutants_per_task is None:
        return mutants, errors
    return draw_sample(mutants, settings.mutants_per_task, seed=settings.seed, key=subject.task.id), errors


def _reworded_parts(subject: Subject) -> Iterator[tuple[str, str, str, Callable[[str], Script]]]:
    """Yield kind, place and text of each part in free words, and what makes the script with another text there."""
    script = subject.script
    for text, place in free_texts(subject):
        yield "text_by_model", ".".join(map(str, place.location)), text, partial(with_text, script, place)
    if answers.applies(subject):
        yield "answer_by_model", "answer", script.answer, script.with_answer


async def _outcome(player: Player, subject: Subject, mutant: Mutant, *, is_right: bool) -> MutantOutcome:
    task = subject.task
    result = await player.play(task, ScriptAgent(mutant.script))
    if result.error is not None:
        return MutantOutcome(task.id, mutant.kind, mutant.description, "error", detail=str(result.error))
    card = player.score(task, result.evidence)
    if is_right:
        fate, metrics = fate_of_right(card)
    else:
        fate, metrics = fate_of(task, card, result.evidence, subject.evidence)
    detail = ""
    if fate in ("survived", "failed"):
        # The calls or the answer by which the mutant differs from the reference.
        script = mutant.script
        calls = [_call_text(call) for call in script.calls if call not in subject.script.calls]
        answer = [f"answer: {script.answer}"] if script.answer != subject.script.answer else []
        detail = "; ".join([*calls, *answer])
    if fate == "failed":
        reasons = [reason for metric in metrics for reason in card.scores[metric].reasons[:1]]
        detail = "; ".join(filter(None, (*reasons, detail)))
    return MutantOutcome(task.id, mutant.kind, mutant.description, fate, metrics, detail)


def _subject(player: Player, reference: _Reference, others: Sequence[_Reference], seed: int) -> Subject:
    """Return the reference with calls of other tasks that its own tools can make, one kind for each purpose."""
    evidence = reference.result.evidence
    own = {_call_text(call) for call in Script.of(evidence.trajectory).calls}
    tools = {tool.name for tool in evidence.tools}
    # Agents may see tools that are wrong for the task, such as those of the other domains of MCP-RADAR.
    servers = valid_servers(reference.task, evidence)
    valid = {tool.name for tool in evidence.tools if not servers or tool.server in servers}

    def drawn(calls: Iterable[ScriptedCall], among: set[str]) -> tuple[ScriptedCall, ...]:
        foreign = {text: call for call in calls if call.name in among and (text := _call_text(call)) not in own}
        return tuple(draw_sample(list(foreign.values()), DONORS_PER_TASK, seed=seed, key=reference.task.id))

    writing = [each for each in others if each.changes_worlds]
    reading = [call for each in others if not each.changes_worlds for call in each.calls]
    return Subject(
        reference.task,
        evidence,
        drawn((call for each in writing for call in each.calls[-1:]), tools),
        drawn(reading, valid),
        frozenset(call.name for call in reading),
        frozenset(player.plan(reference.task).floors),
    )


def _call_text(call: ScriptedCall) -> str:
    return f"{call.name}({', '.join(f'{name}={format_value(value, 200)}' for name, value in call.arguments.items())})"
