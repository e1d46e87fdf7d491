"""Errors that servers write into results which the protocol calls successes."""

import re
from typing import Any

from pytest_mcpbench.core.placeholders import decode_json, payload, unwrap_result
from pytest_mcpbench.core.root_causes import cause_of_result
from pytest_mcpbench.core.tool import ToolResult

_BEGINNING = re.compile(
    r"\W*(?:(?:\w+ ){0,3}(?:error|exception|failure)\b[^\n:]{0,60}:"
    r"|(?:error|failed|unable|cannot|can't|could not|couldn't|invalid|unknown|unsupported)\b)",
    re.IGNORECASE,
)
"""Beginning of a text that reports an error, such as `Database error: near "x"` or `Failed to load`."""
_REFUSAL = re.compile(
    r"\b(?:(?:does not|doesn't|do not) exist|not found|no such|not (?:a )?valid|is (?:invalid|required)|must be)(?!\w)"
    r"|\b(?-i:EN[A-Z]+):(?!\w)",
    re.IGNORECASE,
)
"""Part of a short text that refuses a call, such as `Document notes.docx does not exist`."""
_LONGEST_REFUSAL = 300
_MENTION = re.compile(
    r"\b(?:[A-Za-z]*error|exception|traceback|failure)\b\s*[-–—:(\[]|\berrno\b"
    r"|\bE(?:ACCES|AGAIN|BUSY|CONN[A-Z]+|EXIST|INVAL|IO|ISDIR|MFILE|NOENT|NOTDIR|NOTEMPTY|PERM|PIPE|TIMEDOUT)\b",
    re.IGNORECASE,
)
"""Words of an error anywhere in a text, such as `reports: Error - EISDIR: illegal operation on a directory`."""
_NOT_FOUND = re.compile(r"^(?:\w+?[_ ])?not[_ ]found$")
_STATUSES = frozenset({"error", "failed", "failure"})


def problem_of(result: ToolResult) -> str | None:
    """Return why a result is none: the text of an error, or that there is nothing in it; ``None`` if it is one."""
    cause = cause_of_result(result)
    if cause == "empty_result":
        return f"nothing is in its result: {result.text}" if result.text else "its result is empty"
    return result.text if cause is not None or reports_error(result) else None


def mentions_error(value: str) -> bool:
    """Return whether a text has the words of an error anywhere: one of several files could not be read, for example."""
    return _MENTION.search(value) is not None


def reports_error(result: ToolResult) -> bool:
    """Return whether a result begins like an error message, or has a member that says so.

    This is stricter than the scores of attempts, which believe a server that calls a text a success: a task whose
    reference may have failed is worth less than no task.
    """
    value = unwrap_result(payload(result))
    value = decode_json(value) if isinstance(value, str) else value
    if isinstance(value, dict):
        # One of several things that were asked for, such as `{"notes.txt": {"result": "error"}}`, may have failed.
        return _says_so(value) or (bool(value) and all(map(_says_so, value.values())))
    if not isinstance(value, str):
        return False
    is_refusal = len(value) <= _LONGEST_REFUSAL and _REFUSAL.search(value) is not None
    return is_refusal or _BEGINNING.match(value) is not None


def _says_so(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    said = [str(part.get(name)).casefold() for name in ("status", "result")]
    return part.get("ok") is False or any(each in _STATUSES or _NOT_FOUND.search(each) for each in said)
