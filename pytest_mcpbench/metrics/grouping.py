"""Metrics ``emr*``: the calls have the tools, groups and order of the reference (FinMCP-Bench 3.2, EMR).

A group is the calls of one assistant message. Calls in a group may run in parallel, so their order does not matter;
the order of the groups does. Arguments are not compared.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.simulated_user import USER_ANSWERS
from pytest_mcpbench.core.task import CallGroup, Task
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.metrics.tool_names import name_of_call, name_of_expected, shared_names

Groups = list[tuple[str, ...]]


@dataclass(frozen=True)
class Emr:
    """Score of 1 if the list of groups equals the reference's, each group as a multiset of names; otherwise 0."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        actual = _actual_groups(task, evidence, evidence.trajectory.rounds)
        expected = _expected_groups(task, evidence, task.expected.calls)
        return Score.verdict(_same_groups(actual, expected), _difference_reasons(actual, expected))


@dataclass(frozen=True)
class EmrFlat:
    """Score of 1 if the ordered names equal the reference's, regardless of groups (the authors' code)."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        actual = _flat(_actual_groups(task, evidence, evidence.trajectory.rounds))
        expected = _flat(_expected_groups(task, evidence, task.expected.calls))
        reasons = (
            []
            if actual == expected
            else [f"called in order: {_format_names(actual)}", f"expected: {_format_names(expected)}"]
        )
        return Score.verdict(actual == expected, reasons)


@dataclass(frozen=True)
class EmrTurn:
    """Share of the user turns in which the groups equal the reference's; a turn without any on both sides is equal."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if task.user is not None:
            return Score.not_applicable(USER_ANSWERS)
        reasons: list[str] = []
        equal = 0
        for turn in range(len(task.turns)):
            actual = _actual_groups(task, evidence, (step for step in evidence.trajectory.rounds if step.turn == turn))
            expected = _expected_groups(task, evidence, (group for group in task.expected.calls if group.turn == turn))
            equal += _same_groups(actual, expected)
            reasons += [f"turn {turn + 1}: {reason}" for reason in _difference_reasons(actual, expected)]
        return Score.share(equal, len(task.turns), reasons)


def _actual_groups(task: Task, evidence: AttemptEvidence, rounds: Iterable[Step]) -> Groups:
    shared = shared_names(task, evidence)
    return [tuple(name_of_call(call, shared) for call in step.calls) for step in rounds]


def _expected_groups(task: Task, evidence: AttemptEvidence, groups: Iterable[CallGroup]) -> Groups:
    shared = shared_names(task, evidence)
    return [tuple(name_of_expected(call, shared) for call in group.calls) for group in groups if group.calls]


def _same_groups(actual: Groups, expected: Groups) -> bool:
    return [Counter(group) for group in actual] == [Counter(group) for group in expected]


def _difference_reasons(actual: Groups, expected: Groups) -> list[str]:
    if _same_groups(actual, expected):
        return []
    return [f"groups made: {_format_groups(actual)}", f"groups expected: {_format_groups(expected)}"]


def _flat(groups: Groups) -> list[str]:
    return [name for group in groups for name in group]


def _format_groups(groups: Groups) -> str:
    return " → ".join(f"[{_format_names(group)}]" for group in groups) or "none"


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
