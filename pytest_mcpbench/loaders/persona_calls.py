"""Reads the calls of MCP-Persona's ``tool_calling_sequence``: ``1. server:tool: text="x", params={"a": 1}``."""

import re
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.loaders.lenient_values import decoded_or_text

_LINE = re.compile(r"^\s*(\d+)\s*[.)、]\s*`?([\w-]+)\s*:\s*([\w.-]+)`?\s*[:：]?\s*(.*)$")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_HOLE = re.compile(r'(?<=[:\[,=])\s*(<[^<>"]+>)\s*(?=[,}\]]|$)')
_OPENING, _CLOSING = "([{", ")]}"


def written_calls(sequence: str) -> tuple[ExpectedCall, ...]:
    """The calls, one a numbered line, with the line's number as their id; lines that are no call are left out.

    A value is JSON, Python or plain text; a hole in one (``<timestamp_for_now>``) stays as it stands. What is shortened
    to ``…`` stays a text, and what has no name (``[No parameters required]``) is no argument.
    """
    lines = (_LINE.match(line) for line in sequence.splitlines())
    return tuple(
        ExpectedCall(id=line[1], server=line[2], tool=line[3], arguments=dict(_arguments(line[4])))
        for line in lines
        if line
    )


def _arguments(text: str) -> Iterator[tuple[str, Any]]:
    for part in _parts(text):
        found = _ARGUMENT.fullmatch(part)
        if found:
            yield found[1], _value(found[2].strip())


def _value(text: str) -> Any:
    """The value; where it can be read only so, its bare holes are quoted."""
    read = decoded_or_text(text)
    if read != text:
        return read
    quoted = _HOLE.sub(r'"\1"', f"={text}")[1:]
    whole = decoded_or_text(quoted)
    return text if whole == quoted else whole


def _parts(text: str) -> Iterator[str]:
    """The text at its commas outside of brackets and quotes."""
    begin = depth = 0
    quote = ""
    position = 0
    while position < len(text):
        sign = text[position]
        if quote:
            position += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif sign == "," and depth == 0:
            yield text[begin:position]
            begin = position + 1
        position += 1
    yield text[begin:]
