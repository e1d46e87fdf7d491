"""Primary failure mode of a failed attempt, exactly one in each of MCP-Atlas' two taxonomies."""

from collections.abc import Iterable

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import judged_mode
from pytest_mcpbench.metrics.failure_analysis.labels import failures

UNDETERMINED = "undetermined"
"""Primary mode of a failed attempt that no rule explains and that no judge has read."""

_BY_RULE = ("no_tool_use", "wrong_tool", "err_recovery", "malformed_call")
"""Modes that rules find, the most decisive first: a malformed call that the agent repaired explains least."""

_CATEGORY_OF_2025 = {
    "no_tool_use": "tool_usage:no_tools_called",
    "malformed_call": "tool_usage:incorrect_tool_parameters",
    "wrong_tool": "tool_usage:wrong_tool_selection",
    "err_recovery": "tool_usage:missing_tool_calls",
    "task_misunderstanding": "task_understanding:misunderstood_task",
    "early_termination": "task_understanding:partial_task_completion",
    "faulty_synthesis": "response_quality:incorrect_conclusion",
    "response_misparsing": "response_quality:incorrect_conclusion",
    "hallucinated_fact": "response_quality:incorrect_conclusion",
    "logical_error": "logical_errors:flawed_reasoning",
    "constraint_violation": "environment_constraint_violation",
}
"""Mode of the paper of 2026 -> category and pattern of the page of September 2025 that mean the same."""


def failures_by_outcome(task: Task, evidence: AttemptEvidence, *, is_failed: bool) -> dict[str, tuple[str, ...]]:
    """Return the labels of all taxonomies; those for primary modes have one label if the attempt failed, else none."""
    found = failures(task, evidence)
    if not is_failed:
        return {**found, "atlas_primary": (), "atlas_primary_2025": ()}
    mode = judged_mode(task, evidence) or _mode_by_rule(found["atlas"])
    return {**found, "atlas_primary": (mode,), "atlas_primary_2025": (_category_of_2025(mode, found["rules"]),)}


def _mode_by_rule(modes: Iterable[str]) -> str:
    return next((mode for mode in _BY_RULE if mode in modes), UNDETERMINED)


def _category_of_2025(mode: str, rules: Iterable[str]) -> str:
    if mode == UNDETERMINED and "missing_call" in rules:
        return "tool_usage:missing_tool_calls"
    return _CATEGORY_OF_2025.get(mode, UNDETERMINED)
