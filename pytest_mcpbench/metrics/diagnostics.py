"""Diagnostics of tool use without a judge (MCP-Atlas, table of diagnostic metrics): for insight, not for ranking.

Required tools are those of the reference calls. Calls that were never sent because a limit was reached, and failures
of the harness, count nowhere.
"""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.root_causes import NOT_COUNTED, root_cause
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.failure_analysis.call_faults import redundant_calls, violations

_NO_CALLS = "no tool was called"
_NO_REFERENCE = "the task has no reference calls"


@dataclass(frozen=True)
class DiscoveryPrecision:
    """Calls of required tools / calls. Does not apply without reference calls or without calls."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        required, calls = _required_tools(task), _counted_calls(evidence)
        if not required or not calls:
            return Score.not_applicable(_NO_CALLS if required else _NO_REFERENCE)
        tools = ToolIndex.of(evidence.tools)
        others = [call for call in calls if not any(tools.is_call_of(call, tool) for tool in required)]
        return _share_without(others, calls, "not required")


@dataclass(frozen=True)
class DiscoveryRecall:
    """Required tools that were called at least once / required tools. Does not apply without reference calls."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        required = _required_tools(task)
        if not required:
            return Score.not_applicable(_NO_REFERENCE)
        tools, calls = ToolIndex.of(evidence.tools), _counted_calls(evidence)
        missing = sorted(tool.tool for tool in required if not any(tools.is_call_of(call, tool) for call in calls))
        reasons = [f"never called: {name}" for name in missing]
        return Score.share(len(required) - len(missing), len(required), reasons)


@dataclass(frozen=True)
class SchemaValid:
    """Calls of exposed tools whose arguments match the input schema / calls. Does not apply without calls."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:  # noqa: ARG002 - a metric's signature
        calls = _counted_calls(evidence)
        if not calls:
            return Score.not_applicable(_NO_CALLS)
        invalid = [(call, why) for call in calls if (why := call.problem or "; ".join(violations(call, evidence)))]
        reasons = [f"{call.called}: {why}" for call, why in invalid]
        return Score.share(len(calls) - len(invalid), len(calls), reasons)


@dataclass(frozen=True)
class ErrorFree:
    """Share of the calls that did not fail (1 - error rate). Does not apply without calls."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:  # noqa: ARG002 - a metric's signature
        calls = _counted_calls(evidence)
        if not calls:
            return Score.not_applicable(_NO_CALLS)
        return _share_without([call for call in calls if root_cause(call)], calls, "failed")


@dataclass(frozen=True)
class Recovery:
    """Share of the rounds with a failed call after which the very next round had a successful one.

    Does not apply if no call failed.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:  # noqa: ARG002 - a metric's signature
        rounds = [[call for call in step.calls if _is_counted(call)] for step in evidence.trajectory.rounds]
        failed = [number for number, calls in enumerate(rounds) if any(root_cause(call) for call in calls)]
        if not failed:
            return Score.not_applicable("no call failed")
        # Nothing follows the last round.
        following = [*rounds[1:], []]
        lost = [number for number in failed if not any(root_cause(call) is None for call in following[number])]
        reasons = [f"round {number + 1}: no success in the round after it" for number in lost]
        return Score.share(len(failed) - len(lost), len(failed), reasons)


@dataclass(frozen=True)
class DistinctCalls:
    """Calls that are no repetition of an earlier one with the same arguments and result / calls.

    Does not apply without calls.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:  # noqa: ARG002 - a metric's signature
        calls = _counted_calls(evidence)
        if not calls:
            return Score.not_applicable(_NO_CALLS)
        repeated = [call for call in redundant_calls(evidence) if _is_counted(call)]
        return _share_without(repeated, calls, "repeated")


def _required_tools(task: Task) -> tuple[SimilarTool, ...]:
    """Return the tools of the reference calls, each once, with their servers where the reference specifies them."""
    tools = (SimilarTool(server=call.server, tool=call.tool) for call in task.expected.flat_calls)
    return tuple({(tool.server, tool.tool): tool for tool in tools}.values())


def _is_counted(call: CallRecord) -> bool:
    return root_cause(call) not in NOT_COUNTED


def _counted_calls(evidence: AttemptEvidence) -> list[CallRecord]:
    return [call for call in evidence.calls if _is_counted(call)]


def _share_without(left_out: list[CallRecord], calls: list[CallRecord], why: str) -> Score:
    reasons = [f"{why}: {call.called}" for call in left_out]
    return Score.share(len(calls) - len(left_out), len(calls), reasons)
