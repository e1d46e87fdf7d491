"""Equality of argument values, with the places where they differ.

Strings are equal after NFC, trimming and casefold (punctuation counts), as two forms of one value
(:mod:`pytest_mcpbench.text.forms`) or as two paths to one place; of statements in SQL, what is in quotation marks is
compared as it is, and spaces and a final semicolon do not count; those of exact parameters after NFC, but for the case
of an e-mail address and for the last line end of a text that the request does not dictate. Numbers are equal within
1e-9 relative, a boolean being no number; lists item by item in order; objects key by key. A value of another JSON type
is never equal.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.metrics.comparison.comparators import COMPARATORS, ComparatorName
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.text.forms import same_email, same_form, statement_tokens
from pytest_mcpbench.text.moments import time_zone
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.paths import same_file

RELATIVE_TOLERANCE = 1e-9


class ArgumentDifference(NamedTuple):
    """Place at which a value differs from the reference."""

    path: str
    """Dotted, with indices in brackets: ``edits[0].newText``."""
    expected: Any
    actual: Any

    def __str__(self) -> str:
        return f"{self.path}: expected {format_value(self.expected)}, got {format_value(self.actual)}"


@dataclass(frozen=True)
class Equality:
    """Equality of values, with the suite's rules for single parameters by dotted name without indices."""

    sets: frozenset[str] = frozenset()
    """Lists in which neither order nor repetition counts."""
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)
    placeholders: frozenset[str] = frozenset()
    """Ids of calls to whose results the reference refers: ``<id_result>`` stands for anything that is not empty."""
    exact: frozenset[str] = frozenset()
    """Texts that are compared character by character (after NFC), such as passwords and file contents."""
    unordered: frozenset[str] = frozenset()
    """Lists in which order does not count, but repetition does."""
    zone: str = ""
    """IANA name of the time zone of times without an offset."""
    request: str = ""
    """Text of the task, which dictates what it contains."""

    def differences(self, name: str, expected: Any, actual: Any) -> tuple[ArgumentDifference, ...]:
        """Return every place at which ``actual`` differs from the reference's value of the parameter ``name``."""
        return tuple(self._differences(name, name, expected, actual))

    def same(self, expected: Any, actual: Any) -> bool:
        return not self.differences("", expected, actual)

    def _differences(self, name: str, path: str, expected: Any, actual: Any) -> Iterator[ArgumentDifference]:
        comparator = self.comparators.get(name)
        if comparator is not None and COMPARATORS[comparator](expected, actual):
            return
        if isinstance(expected, Mapping) and isinstance(actual, Mapping):
            for key in {**expected, **actual}:
                inner_name, inner_path = f"{name}.{key}", f"{path}.{key}"
                if key in expected and key in actual:
                    yield from self._differences(inner_name, inner_path, expected[key], actual[key])
                else:
                    yield ArgumentDifference(inner_path, expected.get(key, ABSENT), actual.get(key, ABSENT))
        elif isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
            yield from self._of_lists(name, path, expected, actual)
        elif not self._is_same_scalar(name, expected, actual):
            yield ArgumentDifference(path, expected, actual)

    def _of_lists(
        self, name: str, path: str, expected: Sequence[Any], actual: Sequence[Any]
    ) -> Iterator[ArgumentDifference]:
        if name in self.sets:
            if not (self._covers(name, expected, actual) and self._covers(name, expected, actual, inverse=True)):
                yield ArgumentDifference(path, expected, actual)
        elif len(expected) != len(actual):
            yield ArgumentDifference(path, expected, actual)
        elif name in self.unordered:
            if len(
                maximum_matching([[self._is_same_item(name, one, other) for other in actual] for one in expected])
            ) < len(expected):
                yield ArgumentDifference(path, expected, actual)
        else:
            for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                yield from self._differences(name, f"{path}[{index}]", one, other)

    def _is_same_item(self, name: str, expected: Any, actual: Any) -> bool:
        return not self.differences(name, expected, actual)

    def _covers(self, name: str, expected: Sequence[Any], actual: Sequence[Any], *, inverse: bool = False) -> bool:
        if inverse:
            return all(any(self._is_same_item(name, one, other) for one in expected) for other in actual)
        return all(any(self._is_same_item(name, one, other) for other in actual) for one in expected)

    def _is_same_scalar(self, name: str, expected: Any, actual: Any) -> bool:
        if isinstance(expected, str):
            wildcard = _wildcard(expected, self.placeholders) if self.placeholders else None
            if wildcard is not None:
                if PLACEHOLDER.fullmatch(expected.strip()):
                    return (
                        actual is not None
                        and actual != []
                        and actual != {}
                        and (not isinstance(actual, str) or bool(actual.strip()))
                    )
                return isinstance(actual, str) and wildcard.fullmatch(normalize_text(actual)) is not None
            if not isinstance(actual, str):
                return False
            if name not in self.exact:
                statement = statement_tokens(expected)
                if statement:
                    return statement == statement_tokens(actual)
                is_equal = normalize_text(expected) == normalize_text(actual)
                expected, actual = expected.strip(), actual.strip()
                return is_equal or same_file(expected, actual) or same_form(expected, actual, time_zone(self.zone))
            if expected.rstrip("\r\n") not in self.request:
                expected, actual = expected.rstrip("\r\n"), actual.rstrip("\r\n")
            return _nfc(expected) == _nfc(actual) or same_email(expected, actual)
        if is_number(expected) and is_number(actual):
            return same_number(expected, actual)
        return type(expected) is type(actual) and bool(expected == actual)


def normalize_text(text: str) -> str:
    """Return the text after NFC, trimming and casefold."""
    folded = normal_form("NFC", text).strip().casefold()
    return normal_form("NFC", folded)


def _nfc(text: str) -> str:
    return normal_form("NFC", text)


def is_number(value: Any) -> bool:
    """Return whether the value is a number; a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same_number(left: float, right: float) -> bool:
    """Return whether two numbers are within 1e-9 of the larger one."""
    if left == right or (left != left and right != right):
        return True
    try:
        return math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    except OverflowError:
        # Integers beyond the range of floats are compared as they are.
        return False


def has_placeholder(value: Any, placeholders: frozenset[str]) -> bool:
    """Return whether the value refers to another call's result anywhere."""
    if isinstance(value, str):
        return bool(referenced_ids(value, placeholders))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return any(has_placeholder(part, placeholders) for part in parts)


def referenced_ids(text: str, placeholders: Set[str]) -> tuple[str, ...]:
    """Return ids of the calls whose results a text refers to, in order."""
    return tuple(found[1] for found in PLACEHOLDER.finditer(text) if found[1] in placeholders)


_SOMETHING = r".*\S.*"


def _wildcard(expected: str, placeholders: frozenset[str]) -> re.Pattern[str] | None:
    """Return a pattern that matches any text in place of each reference to a result; ``None`` without references."""
    pattern, end = "", 0
    for found in PLACEHOLDER.finditer(expected):
        if found[1] in placeholders:
            pattern += re.escape(normalize_text("|" + expected[end : found.start()] + "|")[1:-1]) + _SOMETHING
            end = found.end()
    return re.compile(pattern + re.escape(normalize_text("|" + expected[end:])[1:]), re.DOTALL) if pattern else None
