"""Metric ``skill_triggered``: the model loaded the skills that the task is for, and no others."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task


def skill_triggered(task: Task, evidence: AttemptEvidence) -> Score:
    """Expected skills that were loaded / skills that were expected or loaded; 1 if there are neither.

    The counts are those of a classifier: ``positives`` and ``negatives`` of the offered skills are those that the task
    expects and does not expect, ``triggered`` and ``false_alarms`` those of them that were loaded. Not applicable to a
    task that does not say which skills to load (``loads``). Unscored if none were offered: to programs, and with
    ``skill_presentation = "whole"``.
    """
    loads, offered = task.expected.loads, evidence.trajectory.offered_skills
    if loads is None:
        return Score.not_applicable("the task does not say which skills to load")
    if offered is None:
        return Score.missing("no skills were offered to the agent by name and description")
    expected = frozenset(() if loads == "none" else loads)
    loaded = {each.target for each in evidence.trajectory.reads if each.kind == "skill" and not each.is_error}
    reasons = [f"{name} was not loaded" for name in sorted(expected - loaded)]
    reasons += [f"{name} was loaded, and the task is not for it" for name in sorted(loaded - expected)]
    either = expected | loaded
    return Score.of(
        len(expected & loaded) / len(either) if either else 1.0,
        reasons,
        positives=len(expected),
        triggered=len(expected & loaded),
        negatives=len(set(offered) - expected),
        false_alarms=len(loaded - expected),
    )
