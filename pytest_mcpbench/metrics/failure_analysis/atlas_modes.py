"""Failure modes of MCP-Atlas, as labels for a judge."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.world_state.evidence_text import calls_with_results

TOOL_CALL_MODES = {
    "malformed_call": "the right tool was called with wrong, missing or badly typed parameters",
    "wrong_tool": "a tool was called that cannot answer the subtask although a fitting one was there",
    "no_tool_use": "the agent answered from memory where a tool was needed",
    "err_recovery": "after an error the agent repeated itself, went in circles or gave up",
}

COGNITIVE_MODES = {
    "task_misunderstanding": "the agent worked on something else than was asked",
    "faulty_synthesis": "right results were put together wrongly, and no other mode explains it better",
    "response_misparsing": "a wrong row, field or value was read from a right result",
    "early_termination": "the agent stopped of its own accord before all parts of the request were done",
    "hallucinated_fact": "the answer states something that no result supports",
    "logical_error": "a conclusion or a calculation does not follow from the results",
    "constraint_violation": "a condition that the request states was not kept",
}

MODES = {**TOOL_CALL_MODES, **COGNITIVE_MODES}
PATTERNS_2025 = {
    "tool_usage:no_tools_called": "no tool was called although the request needs one",
    "tool_usage:incorrect_tool_parameters": "the right tool was called with wrong, missing or badly typed parameters",
    "tool_usage:missing_tool_calls": "a call that the request needs was not made, or not repeated after an error",
    "tool_usage:wrong_tool_selection": "a tool was called that cannot do the subtask although a fitting one was there",
    "tool_usage:capability_discovery_missing": "the agent said that something cannot be done or found, or asked the"
    " user for it, although one of its tools does it",
    "task_understanding:partial_task_completion": "some parts of the request were done and others were left out",
    "task_understanding:skipped_steps": "a step between was left out, and its result was assumed or guessed",
    "task_understanding:misunderstood_task": "the agent worked on something else than was asked",
    "task_understanding:insufficient_exploration": "the agent stopped at the first results where looking further, with"
    " other words, pages or sources, would have found what was asked",
    "response_quality:incorrect_conclusion": "the right results were there and the answer states something else",
    "logical_errors:flawed_reasoning": "a conclusion or a calculation does not follow from the results",
    "environment_constraint_violation": "a condition that the request or the environment states was not kept",
}
"""Pattern of the benchmark's page of September 2025, with its category -> meaning. The page has the names only."""
NO_FAILURE = "no_failure"

_CUT_SHORT = frozenset({"round_limit", "call_limit", "time_limit", "token_limit", "cost_limit"})


def failure_question(task: Task, evidence: AttemptEvidence) -> Question:
    """Return the question for the mode of failure, without ``early_termination`` if a limit ended the attempt."""
    was_cut = evidence.trajectory.stop in _CUT_SHORT
    modes = {mode: meaning for mode, meaning in MODES.items() if not (was_cut and mode == "early_termination")}
    return Question(
        kind="failure_modes",
        statement="\n".join(f"{mode}: {meaning}" for mode, meaning in modes.items()),
        evidence=f"{calls_with_results(evidence)}\n\nAnswer: {evidence.answer or '(none)'}",
        context=_context(task, evidence),
        labels=(*modes, NO_FAILURE),
    )


def pattern_question(task: Task, evidence: AttemptEvidence) -> Question:
    """Return the question for the failure pattern of the page of September 2025."""
    return Question(
        kind="failure_patterns",
        statement="\n".join(f"{pattern}: {meaning}" for pattern, meaning in PATTERNS_2025.items()),
        evidence=f"{calls_with_results(evidence)}\n\nAnswer: {evidence.answer or '(none)'}",
        context={**_context(task, evidence), "tools": "\n".join(tool.name for tool in evidence.tools)},
        labels=(*PATTERNS_2025, NO_FAILURE),
    )


def judged_pattern(task: Task, evidence: AttemptEvidence) -> str | None:
    """Return the pattern that a judge gave, or ``None`` where none was asked, it failed, or it found no failure."""
    if not any(verdict.label in PATTERNS_2025 for verdict in evidence.verdicts.values()):
        return None
    verdict = evidence.verdict(pattern_question(task, evidence))
    return verdict.label if verdict and verdict.label in PATTERNS_2025 else None


def judged_mode(task: Task, evidence: AttemptEvidence) -> str | None:
    """Return the mode that a judge gave, or ``None`` where none was asked, it failed, or it found no failure."""
    if not any(verdict.label in MODES for verdict in evidence.verdicts.values()):
        return None
    verdict = evidence.verdict(failure_question(task, evidence))
    return verdict.label if verdict and verdict.label in MODES else None


def category(mode: str) -> str:
    """Return ``tool_call`` or ``cognitive``; derived from the mode, never taken from a judge."""
    return "tool_call" if mode in TOOL_CALL_MODES else "cognitive"


def _context(task: Task, evidence: AttemptEvidence) -> dict[str, str]:
    claims = "\n".join(f"- {claim}" for claim in task.expected.claims)
    calls = "\n".join(f"- {call.tool}({call.arguments})" for call in task.expected.flat_calls)
    facts = {
        "request": task.prompt,
        "claims that a right answer makes": claims,
        "reference calls": calls,
        "reference answer": task.expected.answer or "",
        "how the attempt ended": evidence.trajectory.stop,
    }
    return {heading: text for heading, text in facts.items() if text}
