"""Servers that Composio hosts in front of a web service: their envelope, and what they say of bad arguments."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.simulated.engine.dialect import Dialect, plain_schema
from pytest_mcpbench.simulated.engine.failure import MissingScope, ToolFailure


def successful(result: Any) -> dict[str, Any]:
    """The envelope of a result."""
    return {"data": result, "error": None, "successful": True}


def unsuccessful(missing_scope: Callable[[MissingScope], ToolFailure]) -> Callable[[ToolFailure], str]:
    """The envelope of failures, as a :class:`Simulation` takes it.

    A failure's facts are the service's answer: ``status`` (of HTTP) and ``response`` (its body). ``missing_scope`` is
    how the service words a missing permission.
    """

    def envelope(failure: ToolFailure) -> str:
        answered = missing_scope(failure) if isinstance(failure, MissingScope) else failure
        return json.dumps(_envelope(answered), ensure_ascii=False)

    return envelope


def _envelope(failure: ToolFailure) -> dict[str, Any]:
    if "status" not in failure.facts:
        return {"data": {}, "error": str(failure), "successful": False}
    status = failure.facts["status"]
    body = json.dumps(failure.facts["response"], ensure_ascii=False, separators=(",", ":"))
    message = f"{failure} (status {status}). Response: {body}"
    return {"data": {"message": message, "status_code": status}, "error": message, "successful": False}


def _message(_tool: str, error: ValidationError, _schema: dict[str, Any]) -> str:
    return "\n- ".join(["Invalid request data provided", *_complaints(error)])


def _complaints(error: ValidationError) -> Iterator[str]:
    found = error.errors(include_url=False)
    missing = [str(each["loc"][-1]) for each in found if each["type"] == "missing"]
    if missing:
        names = ", ".join(map(repr, missing))
        yield f"Following fields are missing: {{{names}}}"
    for each in found:
        if each["type"] != "missing":
            yield f"{each['msg']} on parameter `{each['loc'][0]}`"


COMPOSIO = Dialect(
    schema=plain_schema,
    invalid=_message,
    unknown_tool="Tool {name} not found",
    strict=False,
    closed=False,
    nullable=True,
)
"""The schemas and messages of servers at Composio."""
