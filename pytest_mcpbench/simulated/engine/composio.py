"""Response envelopes and validation messages of servers that Composio hosts in front of a web service."""

import json
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.simulated.engine.dialect import Dialect, plain_schema
from pytest_mcpbench.simulated.engine.failure import MissingScope, ToolFailure


def success_envelope(result: Any) -> dict[str, Any]:
    """Wrap a result in Composio's success envelope."""
    return {"data": result, "error": None, "successful": True}


def failure_envelope(missing_scope: Callable[[MissingScope], ToolFailure]) -> Callable[[ToolFailure], str]:
    """Return a function that wraps failures in Composio's envelope, for use as :attr:`Simulation.failure`.

    The facts of a failure describe the service's response: ``status`` is the HTTP status and ``response`` the body.
    ``missing_scope`` converts a missing permission into the error that the service reports for it.
    """

    def envelope(failure: ToolFailure) -> str:
        service_failure = missing_scope(failure) if isinstance(failure, MissingScope) else failure
        message = str(service_failure)
        data: dict[str, Any] = {}
        if "status" in service_failure.facts:
            status = service_failure.facts["status"]
            body = json.dumps(service_failure.facts["response"], ensure_ascii=False, separators=(",", ":"))
            message = f"{message} (status {status}). Response: {body}"
            data = {"message": message, "status_code": status}
        return json.dumps({"data": data, "error": message, "successful": False}, ensure_ascii=False)

    return envelope


def _message(_tool: str, error: ValidationError, _schema: dict[str, Any]) -> str:
    problems = error.errors(include_url=False)
    lines = ["Invalid request data provided"]
    missing = [str(each["loc"][-1]) for each in problems if each["type"] == "missing"]
    if missing:
        names = ", ".join(map(repr, missing))
        lines.append(f"Following fields are missing: {{{names}}}")
    lines += [f"{each['msg']} on parameter `{each['loc'][0]}`" for each in problems if each["type"] != "missing"]
    return "\n- ".join(lines)


COMPOSIO = Dialect(
    schema=plain_schema,
    invalid=_message,
    unknown_tool="Tool {name} not found",
    strict=False,
    closed=False,
    nullable=True,
)
"""Dialect of the servers that Composio hosts."""
