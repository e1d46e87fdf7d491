"""Sentences about the differences between two lists of tools, or two responses: the place and both values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_LONGEST = 120


def changes(before: Any, after: Any) -> Iterator[str]:
    """Yield a line for each place at which two snapshots of tools, or of a response, differ."""
    if isinstance(before, list) and isinstance(after, list):
        old, new = _by_name(before), _by_name(after)
        yield from (f"{name}: removed" for name in old if name not in new)
        yield from (f"{name}: added" for name in new if name not in old)
        for name in old:
            if name in new:
                yield from (f"{name}: {change}" for change in _changes("", old[name], new[name]))
        common = [name for name in old if name in new]
        if common != [name for name in new if name in old]:
            yield f"the order of the tools: {', '.join(common)} -> {', '.join(name for name in new if name in old)}"
    else:
        yield from _changes("", before, after)


def _by_name(tools: Sequence[Any]) -> dict[str, Any]:
    return {str(tool.get("name")): tool for tool in tools if isinstance(tool, Mapping)}


def _changes(path: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            inner = f"{path}.{key}".removeprefix(".")
            if key not in after:
                yield f"{inner}: removed ({_text(before[key])})"
            elif key not in before:
                yield f"{inner}: added ({_text(after[key])})"
            else:
                yield from _changes(inner, before[key], after[key])
    elif type(before) is not type(after) or before != after:
        yield f"{path}: {_text(before)} -> {_text(after)}"


def _text(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
