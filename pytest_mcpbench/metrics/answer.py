"""Metrics ``answer`` and ``answer_strict``: the answer equals the reference (MCP-RADAR 4.2, Result Accuracy)."""

from collections.abc import Callable
from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.comparison.answers import same_answer, strict_form
from pytest_mcpbench.metrics.comparison.mathematics import same_mathematics
from pytest_mcpbench.metrics.valid_tools import is_valid_tool

MATHEMATICS = frozenset({"math", "maths", "mathematics"})
"""Values of the tags ``category`` and ``domain`` that let expressions be compared as such."""


@dataclass(frozen=True)
class Answer:
    """Score of 1 if the last ``<answer>…</answer>`` equals the reference's answer; otherwise 0.

    Compared by :mod:`pytest_mcpbench.metrics.comparison.answers`; in mathematical tasks, expressions also by
    :mod:`pytest_mcpbench.metrics.comparison.mathematics`. No answer in tags, more rounds than allowed, or a call of a
    tool that is not the task's: 0. A right answer without any tool call passes and is flagged (``tool_omission``).
    """

    rounds: int | None = None
    """Rounds (model calls) after which an answer no longer counts; default: the task's limit."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        same_expression = same_mathematics if _is_mathematical(task) else None
        return _score(
            task, evidence, self.rounds, lambda reference, answer: same_answer(reference, answer, same_expression)
        )


@dataclass(frozen=True)
class AnswerStrict:
    """As :class:`Answer`, but the two texts must be equal after trimming and NFKC."""

    rounds: int | None = None

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        return _score(
            task, evidence, self.rounds, lambda reference, answer: strict_form(reference) == strict_form(answer)
        )


def tagged_answer(evidence: AttemptEvidence) -> str | None:
    """Return the text of the last ``<answer>…</answer>`` in the agent's messages; ``None`` without one."""
    said = "\n".join(step.text for step in evidence.trajectory.steps)
    lowered = said.lower()
    end = lowered.rfind("</answer>")
    start = lowered.rfind("<answer>", 0, max(end, 0))
    return said[start + len("<answer>") : end].strip() if start >= 0 else None


def _score(task: Task, evidence: AttemptEvidence, rounds: int | None, is_same: Callable[[str, str], bool]) -> Score:
    reference = task.expected.answer
    if reference is None:
        return Score.not_applicable("the task has no reference answer")
    answer = tagged_answer(evidence)
    problem = _problem(task, evidence, rounds)
    if problem is None and answer is None:
        problem = "no answer in <answer>…</answer>"
    if problem is not None or answer is None:
        return Score.of(0.0, [problem or ""], tool_omission=0)
    if not is_same(reference, answer):
        return Score.of(0.0, [f"expected {format_value(reference)}, got {format_value(answer)}"], tool_omission=0)
    omitted = [] if evidence.calls else ["tool_omission: the answer is right, and no tool was called"]
    return Score.of(1.0, omitted, tool_omission=len(omitted))


def _problem(task: Task, evidence: AttemptEvidence, rounds: int | None) -> str | None:
    """Return why no answer counts, however right."""
    allowed = rounds or (task.limits.rounds if task.limits else None)
    made = len(evidence.trajectory.steps)
    if evidence.trajectory.stop == "round_limit" or (allowed is not None and made > allowed):
        return f"more rounds than allowed ({made} made{f', {allowed} allowed' if allowed else ''})"
    wrong = next((call for call in evidence.calls if not is_valid_tool(task, call)), None)
    return f"{wrong.name} was called, which is not a tool of the task" if wrong else None


def _is_mathematical(task: Task) -> bool:
    return any(task.tags.get(tag, "").casefold() in MATHEMATICS for tag in ("category", "domain"))
