"""Parser of MCP-Persona's ``tool_calling_sequence``: ``1. server:tool: text="x", params={"a": 1}``."""

import re
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.loaders.literal_parsing import parse_literal_or_text

_LINE = re.compile(r"^\s*(\d+)\s*[.)、]\s*`?([\w-]+)\s*:\s*([\w.-]+)`?\s*[:：]?\s*(.*)$")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_HOLE = re.compile(r'(?<=[:\[,=])\s*(<[^<>"]+>)\s*(?=[,}\]]|$)')
_ID = re.compile(r"\d{10}\.\d+|\d{15,}|\d+e\d{3,}")
"""Unquoted ids that look like numbers: of Slack's messages, of Instagram's objects, and hexadecimal ones."""
_OPENING, _CLOSING = "([{", ")]}"


def parse_calls(sequence: str) -> tuple[ExpectedCall, ...]:
    """Parse the calls, one per numbered line, with the line's number as id; lines without a call are skipped.

    A value is JSON, a Python literal or plain text. Placeholders (``<timestamp_for_now>``) and values abbreviated with
    ``…`` stay text; text without a name (``[No parameters required]``) is ignored.
    """
    lines = (_LINE.match(line) for line in sequence.splitlines())
    return tuple(
        ExpectedCall(id=line[1], server=line[2], tool=line[3], arguments=dict(_arguments(line[4])))
        for line in lines
        if line
    )


def _arguments(text: str) -> Iterator[tuple[str, Any]]:
    for part in _parts(text):
        match = _ARGUMENT.fullmatch(part)
        if match:
            yield match[1], _value(match[2].strip())


def _value(text: str) -> Any:
    """Parse a value; unquoted placeholders are quoted only if the value cannot be parsed otherwise."""
    if _ID.fullmatch(text):
        return text
    value = parse_literal_or_text(text)
    if value != text:
        return value
    quoted = _HOLE.sub(r'"\1"', f"={text}")[1:]
    requoted = parse_literal_or_text(quoted)
    return text if requoted == quoted else requoted


def _parts(text: str) -> Iterator[str]:
    """Split a text at the commas that are outside brackets and quotes."""
    start = depth = 0
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
        position += 1
    yield text[start:]
