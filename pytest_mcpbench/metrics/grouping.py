"""Whether the calls were organised as in the reference: same tools, same groups, same order (FinMCP-Bench 3.2, EMR).

A group is the calls of one assistant message. Calls in a group may run in parallel, so their order does not matter;
the order of the groups does. Arguments are not compared.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import CallGroup, Task
from pytest_mcpbench.core.trajectory import Step
from pytest_mcpbench.metrics.tool_names import name_of_call, name_of_expected, shared_names

Groups = list[tuple[str, ...]]


@dataclass(frozen=True)
class Emr:
    """1 where the list of groups equals the reference's, each group as a multiset of names; else 0."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        made = _made(task, evidence, evidence.trajectory.rounds)
        wanted = _wanted(task, evidence, task.expected.calls)
        return Score.verdict(_same_groups(made, wanted), _difference(made, wanted))


@dataclass(frozen=True)
class EmrFlat:
    """1 where the flat list of names equals the reference's, in order, whatever the groups (the authors' code)."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        made = _flat(_made(task, evidence, evidence.trajectory.rounds))
        wanted = _flat(_wanted(task, evidence, task.expected.calls))
        reasons = [] if made == wanted else [f"called in order: {_listed(made)}", f"expected: {_listed(wanted)}"]
        return Score.verdict(made == wanted, reasons)


@dataclass(frozen=True)
class EmrTurn:
    """Share of the user turns in which the groups equal the reference's; a turn without any on both sides is equal."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        reasons: list[str] = []
        equal = 0
        for turn in range(len(task.turns)):
            made = _made(task, evidence, (step for step in evidence.trajectory.rounds if step.turn == turn))
            wanted = _wanted(task, evidence, (group for group in task.expected.calls if group.turn == turn))
            equal += _same_groups(made, wanted)
            reasons += [f"turn {turn + 1}: {reason}" for reason in _difference(made, wanted)]
        return Score.share(equal, len(task.turns), reasons)


def _made(task: Task, evidence: AttemptEvidence, rounds: Iterable[Step]) -> Groups:
    shared = shared_names(task, evidence)
    return [tuple(name_of_call(call, shared) for call in step.calls) for step in rounds]


def _wanted(task: Task, evidence: AttemptEvidence, groups: Iterable[CallGroup]) -> Groups:
    shared = shared_names(task, evidence)
    return [tuple(name_of_expected(call, shared) for call in group.calls) for group in groups if group.calls]


def _same_groups(made: Groups, wanted: Groups) -> bool:
    return [Counter(group) for group in made] == [Counter(group) for group in wanted]


def _difference(made: Groups, wanted: Groups) -> list[str]:
    if _same_groups(made, wanted):
        return []
    return [f"groups made: {_shown(made)}", f"groups expected: {_shown(wanted)}"]


def _flat(groups: Groups) -> list[str]:
    return [name for group in groups for name in group]


def _shown(groups: Groups) -> str:
    return " → ".join(f"[{_listed(group)}]" for group in groups) or "none"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
