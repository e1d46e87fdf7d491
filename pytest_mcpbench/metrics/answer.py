"""Metrics ``answer`` and ``answer_strict``: the answer equals the reference (MCP-RADAR 4.2, Result Accuracy)."""

from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import AnswerCheck, Task
from pytest_mcpbench.metrics.comparison.answer_checks import answer_fault
from pytest_mcpbench.metrics.comparison.answers import same_answer, strict_form
from pytest_mcpbench.metrics.comparison.mathematics import same_mathematics
from pytest_mcpbench.metrics.comparison.standing_answer import standing_answer
from pytest_mcpbench.metrics.round_limit import excess_rounds
from pytest_mcpbench.metrics.valid_tools import is_valid_tool

MATHEMATICS = frozenset({"math", "maths", "mathematics"})
"""Values of the tags ``category`` and ``domain`` that let expressions be compared as such."""


@dataclass(frozen=True)
class Answer:
    """Score of 1 if the answer that stands equals the reference's; otherwise 0.

    The answer is the text of the last ``<answer>…</answer>``; it does not stand if it is taken back, doubted or one of
    several (:mod:`pytest_mcpbench.metrics.comparison.standing_answer`). It is compared by
    :mod:`pytest_mcpbench.metrics.comparison.answers`; in mathematical tasks, expressions also by
    :mod:`pytest_mcpbench.metrics.comparison.mathematics`. A task with an ``answer_check`` needs no tags: its check is
    applied to the tagged answer or, without tags, to the last message. More rounds than allowed, or a call of a tool
    that is not the task's: 0. A right answer without any tool call passes and is flagged (``tool_omission``).
    """

    rounds: int | None = None
    """Rounds (model calls) after which an answer no longer counts; default: the task's limit."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not expects_answer(task):
            return Score.not_applicable("the task has no reference answer")
        return _score(task, evidence, self.rounds, wrong_answer(task, evidence))


@dataclass(frozen=True)
class AnswerStrict:
    """Score of 1 if the last tagged answer, whatever follows it, equals the reference after trimming and NFKC."""

    rounds: int | None = None
    """As for :class:`Answer`."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        reference = task.expected.answer
        if reference is None:
            return Score.not_applicable("the task has no reference answer")
        answer = tagged_answer(evidence)
        if answer is None:
            return _score(task, evidence, self.rounds, "no answer in <answer>…</answer>")
        is_right = strict_form(reference) == strict_form(answer)
        return _score(task, evidence, self.rounds, _difference(is_right, reference, answer))


def expects_answer(task: Task) -> bool:
    """Return whether the task has a reference answer or a check of the final text."""
    return task.expected.answer is not None or task.expected.answer_check is not None


def wrong_answer(task: Task, evidence: AttemptEvidence) -> str | None:
    """Return why the text of the answer is not right; ``None`` if it is right or the task expects no answer."""
    if task.expected.answer_check is not None:
        return _check_fault(task, task.expected.answer_check, evidence)
    reference = task.expected.answer
    if reference is None:
        return None
    answer = standing_answer(_all_text(evidence))
    same_expression = same_mathematics if _is_mathematical(task) else None
    is_right = answer.text is not None and same_answer(reference, answer.text, same_expression)
    return answer.problem or _difference(is_right, reference, answer.text)


def tagged_answer(evidence: AttemptEvidence) -> str | None:
    """Return the text of the last ``<answer>…</answer>`` in the agent's messages; ``None`` without one."""
    text = _all_text(evidence)
    lowered = text.lower()
    end = lowered.rfind("</answer>")
    start = lowered.rfind("<answer>", 0, max(end, 0))
    return text[start + len("<answer>") : end].strip() if start >= 0 else None


def _all_text(evidence: AttemptEvidence) -> str:
    return "\n".join(step.said for step in evidence.trajectory.steps)


def _check_fault(task: Task, check: AnswerCheck, evidence: AttemptEvidence) -> str | None:
    """Return why the final text does not pass the task's check."""
    if tagged_answer(evidence) is None:
        return answer_fault(check, evidence.answer, task.prompt)
    answer = standing_answer(_all_text(evidence))
    return answer.problem or answer_fault(check, answer.text or "", task.prompt)


def _difference(is_right: bool, reference: str, answer: str | None) -> str | None:
    return None if is_right else f"expected {format_value(reference)}, got {format_value(answer)}"


def _score(task: Task, evidence: AttemptEvidence, rounds: int | None, fault: str | None) -> Score:
    problem = _problem(task, evidence, rounds) or fault
    if problem is not None:
        return Score.of(0.0, [problem], tool_omission=0)
    omitted = [] if evidence.calls else ["tool_omission: the answer is right, and no tool was called"]
    return Score.of(1.0, omitted, tool_omission=len(omitted))


def _problem(task: Task, evidence: AttemptEvidence, rounds: int | None) -> str | None:
    """Return why no answer counts, however right."""
    if excess := excess_rounds(task, evidence, rounds):
        return excess
    wrong = next((call for call in evidence.calls if not is_valid_tool(task, call, evidence)), None)
    return f"{wrong.name} was called, which is not a tool of the task" if wrong else None


def _is_mathematical(task: Task) -> bool:
    return any(task.tags.get(tag, "").casefold() in MATHEMATICS for tag in ("category", "domain"))
