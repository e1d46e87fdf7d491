"""Metric ``route``: the agent called the right tool, regardless of arguments and results.

For authors of servers: it needs no working backend, and shows whether a description leads to its tool.
"""

from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex


@dataclass(frozen=True)
class Route:
    """Score of 1 if the right tools were called and no forbidden one; otherwise 0.

    ``first``: the first call is of a tool that the reference's first step names (or of one as right). ``all``: every
    call is of a tool that the reference names, and each of these was called. A task with neither reference calls nor
    forbidden tools is none that it applies to.
    """

    calls: Literal["first", "all"] = "first"

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        forbidden, expected = task.expected.forbidden_tools, task.expected.flat_calls
        if not forbidden and not expected:
            return Score.not_applicable("the task names neither reference calls nor forbidden tools")
        wrong = forbidden_calls(task, evidence)
        tools = ToolIndex.of(evidence.tools)
        if expected and not evidence.calls:
            wrong.append(f"no tool was called; expected {_tool_names(expected)}")
        elif expected and self.calls == "first":
            first = next(group.calls for group in task.expected.calls if group.calls)
            wrong += _unexpected_calls(evidence.calls[:1], first, tools)
        elif expected:
            wrong += _unexpected_calls(evidence.calls, expected, tools)
            for reference in expected:
                if not any(tools.accepts(call, reference) for call in evidence.calls):
                    wrong.append(f"{reference.tool} was not called")
        return Score.verdict(not wrong, wrong)


def forbidden_calls(task: Task, evidence: AttemptEvidence) -> list[str]:
    """Return a sentence for each call of a forbidden tool."""
    forbidden = task.expected.forbidden_tools
    return [
        f"call {number} is of {call.called}, which is forbidden"
        for number, call in enumerate(evidence.calls, 1)
        if forbidden == "all" or not call.names.isdisjoint(forbidden)
    ]


def _unexpected_calls(calls: tuple[CallRecord, ...], expected: tuple[ExpectedCall, ...], tools: ToolIndex) -> list[str]:
    return [
        f"call {number} is of {call.called}, not of {_tool_names(expected)}"
        for number, call in enumerate(calls, 1)
        if not any(tools.accepts(call, reference) for reference in expected)
    ]


def _tool_names(expected: tuple[ExpectedCall, ...]) -> str:
    return " or ".join(dict.fromkeys(call.tool for call in expected))
