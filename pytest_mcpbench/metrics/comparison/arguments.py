"""Whether an argument's value equals the reference's, and where it differs.

Strings are equal after NFC, trimming and casefold (punctuation counts); numbers within 1e-9 relative, a boolean being
no number; lists item by item in order; objects key by key. A value of another JSON type is never equal.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.metrics.comparison.comparators import COMPARATORS, ComparatorName

RELATIVE_TOLERANCE = 1e-9


class Absence:
    """Says that there is no value, where ``None`` is JSON's null."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Absence()


class Difference(NamedTuple):
    """One place at which a value is not what the reference has there."""

    path: str
    """Dotted, with indices in brackets: ``edits[0].newText``."""
    expected: Any
    got: Any

    def __str__(self) -> str:
        return f"{self.path}: expected {format_value(self.expected)}, got {format_value(self.got)}"


@dataclass(frozen=True)
class Equality:
    """Equality of values with what a suite declares about single parameters, by dotted name without indices."""

    sets: frozenset[str] = frozenset()
    """Lists in which neither order nor repetition counts."""
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)
    placeholders: frozenset[str] = frozenset()
    """Ids of calls to whose results the reference refers: ``<id_result>`` stands for anything that is not empty."""

    def differences(self, name: str, expected: Any, got: Any) -> tuple[Difference, ...]:
        """Every place at which ``got`` differs from the reference's value of the parameter ``name``."""
        return tuple(self._differences(name, name, expected, got))

    def same(self, expected: Any, got: Any) -> bool:
        return not self.differences("", expected, got)

    def _differences(self, name: str, path: str, expected: Any, got: Any) -> Iterator[Difference]:
        comparator = self.comparators.get(name)
        if comparator is not None and COMPARATORS[comparator](expected, got):
            return
        if isinstance(expected, Mapping) and isinstance(got, Mapping):
            yield from self._of_objects(name, path, expected, got)
        elif isinstance(expected, list | tuple) and isinstance(got, list | tuple):
            yield from self._of_lists(name, path, expected, got)
        elif not self._is_same_scalar(expected, got):
            yield Difference(path, expected, got)

    def _of_objects(
        self, name: str, path: str, expected: Mapping[str, Any], got: Mapping[str, Any]
    ) -> Iterator[Difference]:
        for key in {**expected, **got}:
            inner_name, inner_path = f"{name}.{key}", f"{path}.{key}"
            if key in expected and key in got:
                yield from self._differences(inner_name, inner_path, expected[key], got[key])
            else:
                yield Difference(inner_path, expected.get(key, NOTHING), got.get(key, NOTHING))

    def _of_lists(self, name: str, path: str, expected: Sequence[Any], got: Sequence[Any]) -> Iterator[Difference]:
        if name in self.sets:
            if not (self._covers(name, expected, got) and self._covers(name, expected, got, inverse=True)):
                yield Difference(path, expected, got)
        elif len(expected) != len(got):
            yield Difference(path, expected, got)
        else:
            for index, (one, other) in enumerate(zip(expected, got, strict=True)):
                yield from self._differences(name, f"{path}[{index}]", one, other)

    def _covers(self, name: str, expected: Sequence[Any], got: Sequence[Any], *, inverse: bool = False) -> bool:
        if inverse:
            return all(any(not self.differences(name, one, other) for one in expected) for other in got)
        return all(any(not self.differences(name, one, other) for other in got) for one in expected)

    def _is_same_scalar(self, expected: Any, got: Any) -> bool:
        if isinstance(expected, str):
            wildcard = _wildcard(expected, self.placeholders) if self.placeholders else None
            if wildcard is not None:
                return _fills(wildcard, expected, got)
            return isinstance(got, str) and normal_text(expected) == normal_text(got)
        return _same_plain(expected, got)


def normal_text(text: str) -> str:
    """The text after NFC, trimming and casefold."""
    folded = unicodedata.normalize("NFC", text).strip().casefold()
    return unicodedata.normalize("NFC", folded)


def is_number(value: Any) -> bool:
    """Whether it is a number, which a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_number(left: float, right: float) -> bool:
    """Whether two numbers are within 1e-9 of the larger one."""
    if left == right or (left != left and right != right):
        return True
    try:
        return math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    except OverflowError:
        # Integers beyond the range of floats are compared as they are.
        return False


def has_placeholder(value: Any, placeholders: frozenset[str]) -> bool:
    """Whether the value refers to another call's result anywhere."""
    if isinstance(value, str):
        return bool(referred(value, placeholders))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(has_placeholder(part, placeholders) for part in parts)


def referred(text: str, placeholders: frozenset[str]) -> tuple[str, ...]:
    """Ids of the calls whose results a text refers to, in order."""
    return tuple(found[1] for found in PLACEHOLDER.finditer(text) if found[1] in placeholders)


_SOMETHING = r".*\S.*"


def _same_plain(expected: Any, got: Any) -> bool:
    if is_number(expected) and is_number(got):
        return same_number(expected, got)
    return type(expected) is type(got) and bool(expected == got)


def _wildcard(expected: str, placeholders: frozenset[str]) -> re.Pattern[str] | None:
    """A pattern in which each reference to a result stands for something; ``None`` where there is none."""
    pattern, end = "", 0
    for found in PLACEHOLDER.finditer(expected):
        if found[1] in placeholders:
            pattern += re.escape(normal_text("|" + expected[end : found.start()] + "|")[1:-1]) + _SOMETHING
            end = found.end()
    return re.compile(pattern + re.escape(normal_text("|" + expected[end:])[1:]), re.DOTALL) if pattern else None


def _fills(wildcard: re.Pattern[str], expected: str, got: Any) -> bool:
    if PLACEHOLDER.fullmatch(expected.strip()):
        return got is not None and got != [] and got != {} and (not isinstance(got, str) or bool(got.strip()))
    return isinstance(got, str) and wildcard.fullmatch(normal_text(got)) is not None
