"""Bookkeeping fields, which a server maintains itself, so that no task asks for their change."""

import re

from pytest_mcpbench.core.world import Change
from pytest_mcpbench.metrics.world_state.changes import changed_fields

DEFAULT_BOOKKEEPING = (
    r"(last[_ .-]?)?(updated|modified|edited|changed|accessed|seen|synced)([_ .-]?(at|on|by|time|date|ts|timestamp))?",
    r"(update|edit|modify|access)[_ .-]?(at|time|date|ts|timestamp)",
    r"m(od)?time|atime|etag|revision|version|sequence|unread(_count)?|.*_count|size",
)
"""Regular expressions that a whole field name must match, whatever its case."""


def is_bookkeeping(name: str, patterns: tuple[str, ...] = DEFAULT_BOOKKEEPING) -> bool:
    """Return whether a field is one that servers keep by themselves."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return any(re.fullmatch(pattern, plain, re.IGNORECASE) for pattern in patterns)


def is_only_bookkeeping(change: Change, patterns: tuple[str, ...] = DEFAULT_BOOKKEEPING) -> bool:
    """Return whether an update touched nothing but such fields."""
    fields = changed_fields(change)
    return change.kind == "updated" and bool(fields) and all(is_bookkeeping(name, patterns) for name in fields)
