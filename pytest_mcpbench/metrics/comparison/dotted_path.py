"""Access to parts of a decoded JSON value by dotted path: ``items[0].owner.name``."""

import re
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT, field_value

_INDEX = re.compile(r"\[(\d+)\]")


def value_at(value: Any, path: str | None) -> Any:
    """Return the value at the path or ``ABSENT``; list items have an index (``[0]`` or ``.0``)."""
    rest = _INDEX.sub(r".\1", path or "").strip(".")
    while rest:
        if isinstance(value, list):
            head, _, rest = rest.partition(".")
            value = value[int(head)] if head.isdecimal() and int(head) < len(value) else ABSENT
        else:
            value, rest = _into_object(value, rest)
    return value


def _into_object(value: Any, path: str) -> tuple[Any, str]:
    """Return the field named by the longest matching prefix of the path, and the rest of the path."""
    parts = path.split(".")
    for used in range(len(parts), 0, -1):
        found = field_value(value, ".".join(parts[:used]))
        if found is not ABSENT:
            return found, ".".join(parts[used:])
    return ABSENT, ""
