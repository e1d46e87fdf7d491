"""Flows of values from results into arguments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.generation.pipelines.chains.candidates import Flow, SampleCall

_LEAST_NUMBER = 10
"""Smaller numbers are equal by chance too often."""
_SHORTEST_TEXT = 2
_MOST_VALUES = 5000
"""Values of one result that are looked at."""

Path = tuple[str | int, ...]


def flow_into(value: Any, results: Sequence[SampleCall], request: str) -> tuple[int, str] | None:
    """Return the index of the latest call whose result has the value of an argument, and the path to it.

    A value that the request states, or that is too common to tell anything, comes from no result. A result that
    repeats an argument of its own call is no source of it.
    """
    if not _is_telling(value) or _states(request, value):
        return None
    for index in reversed(range(len(results))):
        if any(given == value for _, given in argument_values(results[index].arguments)):
            continue
        for path, found in _scalars(results[index].result):
            if type(found) is type(value) and found == value and (text := path_text(path)) is not None:
                return index, text
    return None


def flows_into(call: SampleCall, earlier: SampleCall, request: str) -> Iterator[Flow]:
    """Yield the flows from one call into another."""
    for path, value in argument_values(call.arguments):
        source = flow_into(value, [earlier], request)
        if source is not None:
            yield Flow(path=source[1], parameter=".".join(map(str, path)))


def argument_values(arguments: Mapping[str, Any]) -> list[tuple[Path, Any]]:
    """Return all texts and numbers in arguments, with their paths."""
    return list(_scalars(dict(arguments)))


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


def path_text(path: Path) -> str | None:
    """Return a path as placeholders write it; ``None`` if a name in it cannot be written there."""
    if any(re.search(r"[<>.\[\]]", str(part)) or str(part) == "" for part in path):
        return None
    return "".join(f".{part}" for part in path)


def _is_telling(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return len(value.strip()) >= _SHORTEST_TEXT if isinstance(value, str) else abs(value) >= _LEAST_NUMBER


def _states(request: str, value: Any) -> bool:
    return re.search(rf"(?i)(?<!\w){re.escape(str(value).strip())}(?!\w)", request) is not None


def _scalars(value: Any) -> Iterator[tuple[Path, Any]]:
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
