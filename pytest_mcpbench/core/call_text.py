"""Formatting of calls as short text for messages and reports."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.json_location import replace_at
from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.core.tool import CallRecord


def format_reference(expected: ExpectedCall) -> str:
    """Return a reference call as text, for example ``write_file(path='a', content='b')``."""
    return _format(expected.tool, arguments_with_matchers(expected))


def arguments_with_matchers(expected: ExpectedCall) -> dict[str, Any]:
    """Return the arguments of a reference call with its matchers in place of their examples."""
    arguments: dict[str, Any] = dict(expected.arguments)
    for matcher in expected.matchers:
        arguments = replace_at(arguments, matcher.at, matcher)
    return arguments


def format_call(call: CallRecord) -> str:
    """Return an actual call as text; arguments that could not be parsed appear as the model wrote them."""
    if call.raw_arguments is not None:
        return f"{call.called}({format_value(call.raw_arguments)})"
    return _format(call.called, call.arguments)


def format_value(value: Any, limit: int = 100) -> str:
    """Return the value's ``repr``, truncated to ``limit`` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _format(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool}({', '.join(f'{name}={format_value(value, 60)}' for name, value in arguments.items())})"
