"""Paths to values inside results and arguments: ``.items.0.id`` in a placeholder, ``codes.0`` in arguments."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

_MOST_VALUES = 5000
"""Values of one result that are looked at."""

Path = tuple[str | int, ...]


def scalars(value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield texts and numbers level by level, so that a value is found where it lies least deep."""
    level: list[tuple[Path, Any]] = [((), value)]
    seen = 0
    while level:
        deeper: list[tuple[Path, Any]] = []
        for path, each in level:
            seen += 1
            if seen > _MOST_VALUES:
                return
            if isinstance(each, dict):
                deeper += [((*path, name), part) for name, part in each.items()]
            elif isinstance(each, list):
                deeper += [((*path, at), part) for at, part in enumerate(each)]
            elif each is not None:
                yield path, each
        level = deeper


def path_text(path: Path) -> str | None:
    """Return a path as placeholders write it; ``None`` if a name in it cannot be written there."""
    if any(re.search(r"[<>.\[\]]", str(part)) or str(part) == "" for part in path):
        return None
    return "".join(f".{part}" for part in path)


def with_value(arguments: JsonValue, path: str, value: JsonValue) -> JsonValue:
    """Return arguments with another value at a path such as ``codes.0``; parts that are missing are added."""
    first, _, rest = path.partition(".")
    if isinstance(arguments, list) or (arguments is None and first.isdigit()):
        items = list(arguments or [])
        at = int(first)
        items += [None] * (at + 1 - len(items))
        items[at] = with_value(items[at], rest, value) if rest else value
        return items
    content = dict(arguments) if isinstance(arguments, dict) else {}
    content[first] = with_value(content.get(first), rest, value) if rest else value
    return content
