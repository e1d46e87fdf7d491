"""Matchers in the arguments of a reference call: ``{near: 10, within: 0.5}`` in place of a value.

A mapping is a matcher if one of its keys is the kind of a matcher and every other key belongs to that kind. Each leaves
an example in the arguments, which ``oracle`` plays. ``{exact: VALUE}`` is the value itself, whatever its keys.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pytest_mcpbench.core.bounded_pattern import BoundedPattern, pattern_fault
from pytest_mcpbench.core.json_location import Location, texts_in
from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, type_name

_LITERAL = "Write {exact: …} around a value that is itself such a mapping."
_OTHER_KEYS: Mapping[str, frozenset[str]] = {
    "regex": frozenset({"example"}),
    "near": frozenset({"within"}),
    "one_of": frozenset(),
    "any": frozenset({"example"}),
    "ignore": frozenset({"example"}),
    "exact": frozenset(),
}


@dataclass(frozen=True)
class SplitArguments:
    """Arguments with examples in place of the matchers, and the fields of the matchers."""

    arguments: dict[str, Any]
    matchers: tuple[dict[str, Any], ...]


_OMITTED = object()


def split_arguments(arguments: Mapping[Any, Any], field: str) -> SplitArguments:
    """Separate the matchers from the arguments of a reference call. Raises FieldError for a matcher that is wrong."""
    matchers: list[dict[str, Any]] = []

    def plain(value: Any, at: Location) -> Any:
        kind = _kind(value)
        if kind is not None:
            example, fields = _READERS[kind](value, _Place(field_path((field, *at))))
            matchers.extend([{"at": at, **fields}] if fields else [])
            return example
        if isinstance(value, dict):
            return dict(_without_omitted((key, plain(part, (*at, str(key)))) for key, part in value.items()))
        if isinstance(value, list):
            return [_item(plain(part, (*at, index)), (field, *at, index)) for index, part in enumerate(value)]
        return value

    examples = dict(_without_omitted((name, plain(value, (str(name),))) for name, value in arguments.items()))
    return SplitArguments(examples, tuple(matchers))


def _without_omitted(entries: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    return ((key, value) for key, value in entries if value is not _OMITTED)


def _item(value: Any, at: Location) -> Any:
    if value is _OMITTED:
        raise FieldError(
            field_path(at), "an element of a list cannot be ignored.", "Write `any: true` with an example."
        )
    return value


def _kind(value: Any) -> str | None:
    """Return the kind of the matcher that a value is; ``None`` for a plain value."""
    if not isinstance(value, dict):
        return None
    kinds = [kind for kind, others in _OTHER_KEYS.items() if kind in value and value.keys() <= {kind, *others}]
    return kinds[0] if kinds else None


@dataclass(frozen=True)
class _Place:
    """Field of a matcher, for messages."""

    field: str

    def error(self, problem: str, remedy: str = _LITERAL) -> FieldError:
        return FieldError(self.field, problem, remedy)


def _read_regex(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    pattern, example = value["regex"], value.get("example")
    if not isinstance(pattern, str):
        raise place.error(f"regex must be text, not {type_name(pattern)}.")
    if fault := pattern_fault(pattern):
        raise place.error(f"{fault}.")
    if not isinstance(example, str):
        raise place.error("regex needs `example`, a text that it matches: oracle plays it.")
    if not _matches(pattern, example, place):
        remedy = "A regular expression matches the complete text; write .* where anything may stand."
        raise place.error(f"the example {example!r} does not match {pattern!r}.", remedy)
    return example, {"regex": pattern}


def _matches(pattern: str, example: str, place: _Place) -> bool:
    try:
        return BoundedPattern(pattern).matches_all_of(example)
    except ValueError as error:
        raise place.error(f"{error}.", "Write a pattern that matches a text in one way only.") from None


def _read_near(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    near, within = value["near"], value.get("within")
    if not _is_finite(near):
        raise place.error(f"near must be a number, not {type_name(near)}.")
    if not _is_finite(within) or within < 0:
        raise place.error("near needs `within`, the largest difference.", f"Write {{near: {near}, within: 0.5}}.")
    return near, {"near": near, "within": within}


def _read_one_of(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    choices = value["one_of"]
    if not isinstance(choices, list) or not choices:
        raise place.error("one_of must be a list with at least one value.")
    if any(_has_reference(choice) for choice in choices):
        raise place.error("one_of cannot refer to results of other calls.", "Write the reference as a plain value.")
    return choices[0], {"one_of": choices}


def _read_any(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    if value["any"] is not True:
        raise place.error("any must be true.")
    if "example" not in value:
        raise place.error("any needs `example`, a value that fits: oracle plays it.", "Write {any: true, example: …}.")
    return value["example"], {"any": True}


def _read_ignore(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    if value["ignore"] is not True:
        raise place.error("ignore must be true.")
    return value.get("example", _OMITTED), {"ignore": True}


def _read_exact(value: dict[str, Any], _place: _Place) -> tuple[Any, dict[str, Any]]:
    return value["exact"], {}


_READERS: Mapping[str, Callable[[dict[str, Any], _Place], tuple[Any, dict[str, Any]]]] = {
    "regex": _read_regex,
    "near": _read_near,
    "one_of": _read_one_of,
    "any": _read_any,
    "ignore": _read_ignore,
    "exact": _read_exact,
}


def _is_finite(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _has_reference(value: Any) -> bool:
    return any(PLACEHOLDER.search(text) for text in texts_in(value))
