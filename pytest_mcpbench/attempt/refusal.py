"""Refusal of calls that cannot be made, with the explanation that the model reads."""

import json
from collections.abc import Collection
from typing import Literal, assert_never

from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.text.suggestions import did_you_mean

_Fault = Literal["malformed_arguments", "unknown_tool", "not_exposed"]


def refusal(call: Call, exposed: Collection[str], existing: Collection[str] = ()) -> CallRecord | None:
    """Return the record of a call that cannot be made; ``None`` if it can be made.

    Args:
        call: Call of the agent.
        exposed: Names of the tools that the agent may call.
        existing: Names of all tools of the connected servers.
    """
    problem = _problem(call, exposed, existing)
    if problem is None:
        return None
    result = ToolResult.failure(_explanation(problem, call, exposed), "protocol")
    return CallRecord(**call.model_dump(), problem=problem, result=result)


def _problem(call: Call, exposed: Collection[str], existing: Collection[str]) -> _Fault | None:
    if call.name not in exposed:
        return "not_exposed" if call.name in existing else "unknown_tool"
    return "malformed_arguments" if call.raw_arguments is not None else None


def _explanation(problem: _Fault, call: Call, exposed: Collection[str]) -> str:
    match problem:
        case "unknown_tool":
            question = did_you_mean(call.name, exposed, most=3)
            return f"There is no tool {call.name!r}." + (f" {question}" if question else "")
        case "not_exposed":
            return f"The tool {call.name!r} may not be used here."
        case "malformed_arguments":
            why = _json_problem(call.raw_arguments or "")
            return f"The arguments of the call of {call.name!r} are not a JSON object: {why}. The call was not made."
    assert_never(problem)


def _json_problem(raw: str) -> str:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return str(error)
    if isinstance(value, dict):
        return "a number in them is not finite"
    return f"they are of type {type(value).__name__}"
