"""Metrics ``state`` and ``state_clean``: the worlds after the attempt meet the task's state checks."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import Change
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING, is_only_bookkeeping
from pytest_mcpbench.metrics.world_state.changes import entity_path
from pytest_mcpbench.metrics.world_state.check_result import score_of_checks
from pytest_mcpbench.metrics.world_state.exec_rules import changes_requested_by, leaves_changes_open
from pytest_mcpbench.metrics.world_state.state_checks import evaluate_check, requested_changes


@dataclass(frozen=True)
class State:
    """Share of ``expected.state`` that passes; unscored if a checked world was not observed.

    It does not apply to a task without checks.

    ``created``, ``updated`` and ``deleted`` ask for at least one such entity at the path (or exactly ``count``), whose
    fields hold what ``where`` says; ``unchanged`` for no change at, below or above the path; ``equals`` for the value.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.state:
            return Score.not_applicable("the task has no state checks")
        return score_of_checks([evaluate_check(check, evidence.worlds) for check in task.expected.state])


@dataclass(frozen=True)
class StateClean:
    """Score of 1 if only requested changes (``state`` and ``exec`` checks) happened; otherwise 0."""

    bookkeeping: tuple[str, ...] = DEFAULT_BOOKKEEPING
    """Regular expressions of bookkeeping fields, which servers update themselves; such updates do not count."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.state and not task.expected.exec:
            return Score.not_applicable("the task says nothing of what may change: it has no state and no exec checks")
        if not evidence.worlds:
            return Score.missing("no world was observed")
        surplus = []
        for world in evidence.worlds:
            asked = [change for check in task.expected.state for change in requested_changes(check, world)]
            for checkpoint in task.expected.exec:
                asked += changes_requested_by(checkpoint, task, world)
            for change in world.changes:
                is_asked_for = any(_covers(one, change) for one in asked)
                if not is_asked_for and not is_only_bookkeeping(change, self.bookkeeping):
                    surplus.append((world, change))
        certain = [(world.name, change) for world, change in surplus if not leaves_changes_open(task, world)]
        if surplus and not certain:
            what = _describe(surplus[0][0].name, surplus[0][1])
            return Score.missing(f"the checkpoints say only in words which changes they ask for; there is {what}")
        reasons = [f"nobody asked for: {_describe(name, change)}" for name, change in certain]
        changes = sum(len(world.changes) for world in evidence.worlds)
        return Score.of(float(not certain), reasons, unasked=len(certain), changes=changes)


def _describe(world: str, change: Change) -> str:
    return f"{world}: {change.kind} {entity_path(change)}"


def _covers(asked: Change, change: Change) -> bool:
    """Return whether a requested change is the change or a part of the entity that it created or deleted."""
    return asked == change or (asked.kind == change.kind and entity_path(asked).startswith(f"{entity_path(change)}."))
