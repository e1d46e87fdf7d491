"""Failure labels of an attempt, found by rule, in the taxonomies of the benchmarks.

``rules`` are ours and the base of the others. ``atlas`` are the eleven modes of MCP-Atlas (appendix on diagnostics;
the cognitive ones come from a judge's verdict, where one was asked), ``radar`` those of MCP-RADAR 6.1, ``toolbench``
the root causes of failed calls of MCPToolBench++ 4.3 and Table 4.
"""

from collections.abc import Callable, Iterable

from pytest_mcpbench.core.chat import REFUSED
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.root_causes import NOT_COUNTED, family, root_cause
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.core.trajectory import CALL_IN_TEXT
from pytest_mcpbench.metrics.answer import wrong_answer
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import judged_mode, judged_pattern
from pytest_mcpbench.metrics.failure_analysis.call_faults import (
    repeats_itself,
    returned_nothing,
    unrecovered_error,
    violations,
)
from pytest_mcpbench.metrics.route import forbidden_calls

LIMITS = (
    "round_limit",
    "call_limit",
    "time_limit",
    "token_limit",
    "cost_limit",
    "repetition",
    "output_too_long",
    "unreadable",
)
"""Ways in which an attempt is cut short; each is a label of ``rules``."""


def failures(task: Task, evidence: AttemptEvidence) -> dict[str, tuple[str, ...]]:
    """Return taxonomy -> labels, each once; a taxonomy in which nothing went wrong has none.

    A label says that something happened, not that it made the attempt fail: an attempt that recovered from a
    malformed call has that label too.
    """
    stop = evidence.trajectory.stop
    rules = tuple(name for name, happened in _RULES.items() if happened(task, evidence)) + (
        (stop,) if stop in LIMITS else ()
    )
    all_causes = (root_cause(call) for call in evidence.calls)
    causes = _unique(cause for cause in all_causes if cause is not None and cause not in NOT_COUNTED)
    mode = judged_mode(task, evidence)
    found = {
        "rules": rules,
        "atlas": _translate(_ATLAS, rules, causes) + ((mode,) if mode else ()),
        "radar": _translate(_RADAR, rules, causes) + ((_RADAR_OF_MODE[mode],) if mode in _RADAR_OF_MODE else ()),
        "toolbench": causes,
    }
    return {taxonomy: _unique(labels) for taxonomy, labels in found.items()}


def _no_tool_called(task: Task, evidence: AttemptEvidence) -> bool:
    may_call = task.expected.forbidden_tools != "all" and bool(evidence.tools or task.expected.calls)
    return may_call and not evidence.calls


def _wrong_tool(task: Task, evidence: AttemptEvidence) -> bool:
    """Return whether a tool outside of the reference was called and a tool of the reference never was."""
    tools, references = ToolIndex.of(evidence.tools), task.expected.flat_calls
    has_unexpected = any(not any(tools.accepts(call, expected) for expected in references) for call in evidence.calls)
    return has_unexpected and bool(_uncalled_tools(task, evidence))


def _wrong_answer(task: Task, evidence: AttemptEvidence) -> bool:
    """Return whether the agent ended by itself with an answer that is not the reference's."""
    is_cut_short = evidence.trajectory.stop in LIMITS
    return bool(evidence.answer) and not is_cut_short and wrong_answer(task, evidence) is not None


def _uncalled_tools(task: Task, evidence: AttemptEvidence) -> list[ExpectedCall]:
    tools = ToolIndex.of(evidence.tools)
    return [
        expected
        for expected in task.expected.flat_calls
        if not any(tools.accepts(call, expected) for call in evidence.calls)
    ]


_RULES: dict[str, Callable[[Task, AttemptEvidence], bool]] = {
    "no_tool_called": _no_tool_called,
    "call_in_text": lambda _task, evidence: CALL_IN_TEXT in evidence.trajectory.notes,
    "wrong_tool": _wrong_tool,
    "missing_call": lambda task, evidence: bool(evidence.calls and _uncalled_tools(task, evidence)),
    "forbidden_tool": lambda task, evidence: bool(forbidden_calls(task, evidence)),
    "malformed_arguments": lambda _task, evidence: any(
        call.problem == "malformed_arguments" for call in evidence.calls
    ),
    "unreadable_reply": lambda _task, evidence: any(step.is_unreadable for step in evidence.trajectory.steps),
    "schema_violation": lambda _task, evidence: any(violations(call, evidence) for call in evidence.calls),
    "nonexistent_tool": lambda _task, evidence: any(call.problem == "unknown_tool" for call in evidence.calls),
    "tool_not_exposed": lambda _task, evidence: any(call.problem == "not_exposed" for call in evidence.calls),
    "tool_not_loaded": lambda _task, evidence: any(call.problem == "not_loaded" for call in evidence.calls),
    "tool_error": lambda _task, evidence: any(call.result is not None and root_cause(call) for call in evidence.calls),
    "redundant_calls": lambda _task, evidence: repeats_itself(evidence),
    "error_not_recovered": lambda _task, evidence: unrecovered_error(evidence),
    "empty_result": lambda _task, evidence: any(returned_nothing(call) for call in evidence.calls),
    "refused": lambda _task, evidence: any(step.finish_reason in REFUSED for step in evidence.trajectory.steps),
    "no_answer": lambda _task, evidence: not evidence.answer,
    "wrong_answer": _wrong_answer,
}

_ATLAS = {
    "no_tool_use": {"no_tool_called"},
    "wrong_tool": {"wrong_tool", "nonexistent_tool", "tool_not_exposed", "forbidden_tool"},
    "malformed_call": {"malformed_arguments", "unreadable_reply", "schema_violation", "parameter_error"},
    "err_recovery": {"error_not_recovered"},
}
"""Mode -> rules and root causes that show it. The other seven need a judge."""

_RADAR = {
    "tool_use:parameter_error": {"malformed_arguments", "schema_violation", "parameter_error"},
    "tool_use:inaccurate_tool_invocation": {"wrong_tool", "forbidden_tool"},
    "reasoning:tool_omission": {"no_tool_called"},
    "reasoning:redundant_tool_invocation": {"redundant_calls", "repetition"},
    "other:excessive_rounds": {"round_limit", "call_limit"},
    "other:nonexistent_tool": {"nonexistent_tool", "tool_not_exposed"},
    "other:incorrect_result": {"wrong_answer"},
}

_RADAR_OF_MODE = {
    "logical_error": "reasoning:faulty_reasoning",
    "constraint_violation": "reasoning:faulty_reasoning",
    "faulty_synthesis": "synthesis:tool_result_integration_error",
    "response_misparsing": "synthesis:information_extraction_failure",
}
"""A judge's mode of Atlas -> the category of RADAR that means the same."""


def _translate(modes: dict[str, set[str]], rules: tuple[str, ...], causes: tuple[str, ...]) -> tuple[str, ...]:
    shown = {*rules, *(family(cause) for cause in causes)}
    return tuple(mode for mode, signs in modes.items() if shown & signs)


def _unique(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))


# Primary failure mode of a failed attempt, exactly one in each of MCP-Atlas' two taxonomies.

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
    by_rule = (mode for mode in _BY_RULE if mode in found["atlas"])
    mode = judged_mode(task, evidence) or next(by_rule, UNDETERMINED)
    pattern = judged_pattern(task, evidence)
    if not pattern:
        is_call_missing = mode == UNDETERMINED and "missing_call" in found["rules"]
        pattern = "tool_usage:missing_tool_calls" if is_call_missing else _CATEGORY_OF_2025.get(mode, UNDETERMINED)
    return {**found, "atlas_primary": (mode,), "atlas_primary_2025": (pattern,)}
