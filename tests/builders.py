"""Builders that give everything which does not matter to a test."""

from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.planning import AttemptPlan, TaskPlan
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Expected, ExpectedCall, Task, Turn
from pytest_mcpbench.core.tool import CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import Step, Trajectory


def a_task(*groups: tuple[ExpectedCall, ...], ask: str = "Do it.", **fields: Any) -> Task:
    """A task that expects groups of parallel calls."""
    expected = fields.pop("expected", None) or Expected(calls=tuple(CallGroup(calls=group) for group in groups))
    return Task(**{"id": "a-task", "turns": (Turn(user=ask),), "expected": expected, **fields})


def a_plan(task: Task, suite: SuiteManifest, *, model: str = "m", trial: int = 1) -> AttemptPlan:
    """Plan of an attempt without floors and metrics."""
    return AttemptPlan.of_task(TaskPlan(task, {}, ()), suite, model=model, trial=trial)


def expected_call(tool: str, arguments: dict[str, Any] | None = None, **fields: Any) -> ExpectedCall:
    return ExpectedCall(tool=tool, arguments=arguments or {}, **fields)


def a_call(
    tool: str, arguments: dict[str, Any] | None = None, *, result: ToolResult | str = "done", **fields: Any
) -> CallRecord:
    """A call that reached its tool."""
    if isinstance(result, str):
        result = ToolResult.of_text(result)
    made = {"id": "1", "name": tool, "tool": tool, "server": "server", "arguments": arguments or {}, "result": result}
    return CallRecord(**{**made, **fields})


def evidence_of(
    *steps: tuple[CallRecord, ...], answer: str = "", tools: tuple[ToolSpec, ...] = (), **fields: Any
) -> AttemptEvidence:
    """Evidence with one assistant message per argument, which holds its calls; ``answer`` is a last message."""
    made = [Step(calls=calls) for calls in steps]
    if answer:
        made.append(Step(text=answer))
    trajectory = fields.pop("trajectory", None) or Trajectory(steps=tuple(made))
    return AttemptEvidence(
        **{"task_id": "a-task", "model": "a-model", "trajectory": trajectory, "tools": tools, **fields}
    )


def a_tool(
    name: str, properties: dict[str, Any] | None = None, required: tuple[str, ...] = (), **fields: Any
) -> ToolSpec:
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return ToolSpec(**{"name": name, "tool": name, "server": "server", "input_schema": schema, **fields})
