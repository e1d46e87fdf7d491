"""Formatting of calls as short text for messages and reports."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.text.json_reading import replace_at

SHORT_VALUE = 60
"""Characters of a value in a message of the terminal."""
LONGEST_VALUE = 10_000
"""Characters of a value in a reason of a score, and in the lines that say what a task expects."""


def format_reference(expected: ExpectedCall, limit: int | None = LONGEST_VALUE) -> str:
    """Return a reference call as text, for example ``write_file(path='a', content='b')``.

    Each value is truncated to ``limit`` characters; ``None`` leaves them whole.
    """
    return _format(expected.tool, arguments_with_matchers(expected), limit)


def arguments_with_matchers(expected: ExpectedCall) -> dict[str, Any]:
    """Return the arguments of a reference call with its matchers in place of their examples."""
    arguments: dict[str, Any] = dict(expected.arguments)
    for matcher in expected.matchers:
        arguments = replace_at(arguments, matcher.at, matcher)
    return arguments


def format_call(call: CallRecord, limit: int | None = LONGEST_VALUE) -> str:
    """Return an actual call as text; arguments that could not be parsed appear as the model wrote them.

    Each value is truncated to ``limit`` characters; ``None`` leaves them whole.
    """
    if call.raw_arguments is not None:
        return f"{call.called}({format_value(call.raw_arguments, limit and max(limit, 100))})"
    return _format(call.called, call.arguments, limit)


def format_value(value: Any, limit: int | None = LONGEST_VALUE) -> str:
    """Return the value's ``repr``, truncated to ``limit`` characters unless it is ``None``."""
    text = repr(value)
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def _format(tool: str, arguments: Mapping[str, Any], limit: int | None) -> str:
    return f"{tool}({', '.join(f'{name}={format_value(value, limit)}' for name, value in arguments.items())})"
