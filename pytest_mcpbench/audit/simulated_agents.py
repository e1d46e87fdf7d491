"""Simulated agents of a given ability: the reference, each decision of which is wrong with a given probability."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_mcpbench.agents.oracle import words_of
from pytest_mcpbench.agents.script import Script, ScriptedCall, ScriptedStep
from pytest_mcpbench.audit import answers
from pytest_mcpbench.audit.mutants import call_mistakes
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.audit.values import leaves

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
