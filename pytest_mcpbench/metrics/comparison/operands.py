"""Equality of arguments by their effect, however they are written (MCP-RADAR 4.2, fuzzy match).

Every key of the reference must be there, others are ignored; one value is a list of one; addresses of e-mail are
casefolded, paths normalised, dates and times parsed. Other text is equal after NFC and trimming, and case counts.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.unicode_forms import normal_form
from pytest_mcpbench.metrics.comparison.arguments import Difference, is_number, same_number
from pytest_mcpbench.metrics.comparison.comparators import normal_path, parse_datetime, same_email, same_moment, words

FREE_TEXT = frozenset({"subject", "body", "htmlBody", "notes", "content"})
"""Keys whose text may be worded freely, unless the suite declares others."""

_EMAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+|[^<>]*<[^\s@<>]+@[^\s@<>]+>")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE_OR_TIME = re.compile(
    rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}:\d{{2}}|\d{{1,4}}/\d{{1,2}}/\d{{1,4}}|\b{_MONTH}\.? \d|\d {_MONTH}",
    re.IGNORECASE,
)
_LONGEST_DATE = 60


@dataclass(frozen=True)
class OperationValues:
    """Comparison of arguments; see the module."""

    free_text: frozenset[str] = FREE_TEXT
    """Keys, at any depth, whose text only has to satisfy ``is_fine``."""
    is_fine: Callable[[str, str], bool] = lambda _reference, text: bool(text.strip())
    """True if a free text will do beside the reference's; by default: it is not empty."""
    sets: frozenset[str] = frozenset()
    """Keys, at any depth, whose lists have no order."""
    root: str = ""
    """Directory that relative paths and ``~`` refer to, so that they equal absolute paths."""

    def differences(
        self, reference: Mapping[str, Any], actual: Mapping[str, Any], optional: Collection[str] = ()
    ) -> tuple[Difference, ...]:
        """Return the differences in effect between the arguments; ``optional`` keys may be absent."""
        return tuple(
            difference
            for key, value in reference.items()
            if key in actual or key not in optional
            for difference in self._of_key(key, key, value, actual.get(key, ABSENT))
        )

    def _of_key(self, key: str, path: str, expected: Any, actual: Any) -> Iterator[Difference]:
        if actual is ABSENT:
            yield Difference(path, expected, ABSENT)
        elif key in self.free_text and isinstance(expected, str):
            if not isinstance(actual, str) or (expected.strip() and not self.is_fine(expected, actual)):
                yield Difference(path, expected, actual)
        else:
            yield from self._of_values(key, path, expected, actual)

    def _of_values(self, key: str, path: str, expected: Any, actual: Any) -> Iterator[Difference]:
        if isinstance(expected, list) != isinstance(actual, list):
            expected, actual = _as_list(expected), _as_list(actual)
        if isinstance(expected, list):
            yield from self._of_lists(key, path, expected, actual)
        elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
            for inner, value in expected.items():
                yield from self._of_key(inner, f"{path}.{inner}", value, actual.get(inner, ABSENT))
        elif not same_operand(expected, actual) and not self._is_same_place(expected, actual):
            yield Difference(path, expected, actual)

    def _is_same_place(self, expected: Any, actual: Any) -> bool:
        if not self.root or not isinstance(expected, str) or not isinstance(actual, str):
            return False
        return bool(expected and actual) and same_operand(self._absolute_path(expected), self._absolute_path(actual))

    def _absolute_path(self, path: str) -> str:
        """Return the absolute path; URLs and text of several lines are returned unchanged."""
        if path.startswith("/") or "://" in path or "\n" in path:
            return path
        return f"{self.root}/{path.removeprefix('~').lstrip('/')}"

    def _of_lists(self, key: str, path: str, expected: list[Any], actual: list[Any]) -> Iterator[Difference]:
        if len(expected) != len(actual):
            yield Difference(path, expected, actual)
        elif key in self.sets:
            if not self._has_same_items(key, expected, actual):
                yield Difference(path, expected, actual)
        else:
            for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                yield from self._of_key(key, f"{path}[{index}]", one, other)

    def _has_same_items(self, key: str, expected: list[Any], actual: list[Any]) -> bool:
        left = list(actual)
        for one in expected:
            found = next((i for i, other in enumerate(left) if not any(self._of_key(key, key, one, other))), None)
            if found is None:
                return False
            del left[found]
        return True


def same_operand(expected: Any, actual: Any) -> bool:
    """Return whether two scalars have the same effect."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _same_text(_trim(expected), _trim(actual))
    if is_number(expected) and is_number(actual):
        return same_number(expected, actual)
    return type(expected) is type(actual) and bool(expected == actual)


def rouge_l(reference: str, text: str) -> float:
    """Return ROUGE-L (Lin 2004): F1 of the longest common subsequence of words.

    A reference without words (the subject ``"."`` of MCP-RADAR's example) asks for any text: 1 if there is one.
    """
    first, second = words(reference), words(text)
    if not first or not second:
        return float(not first and (bool(text.strip()) or not reference.strip()))
    common = _longest_common(first, second)
    return 2 * common / (len(first) + len(second))


def _longest_common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    row = [0] * (len(second) + 1)
    for word in first:
        before = row
        row = [0]
        for index, other in enumerate(second):
            row.append(before[index] + 1 if word == other else max(before[index + 1], row[-1]))
    return row[-1]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _trim(text: str) -> str:
    return normal_form("NFC", text).strip()


def _same_text(expected: str, actual: str) -> bool:
    if expected == actual:
        return True
    if _EMAIL.fullmatch(expected) and _EMAIL.fullmatch(actual):
        return same_email(expected, actual)
    if _is_date(expected) and _is_date(actual):
        return _same_time_or_path(expected, actual)
    return _same_path(expected, actual)


def _is_date(text: str) -> bool:
    return len(text) <= _LONGEST_DATE and _DATE_OR_TIME.search(text) is not None


def _same_time_or_path(expected: str, actual: str) -> bool:
    first, second = parse_datetime(expected), parse_datetime(actual)
    if first is None or second is None:
        return _same_path(expected, actual)
    return same_moment(first, second)


def _same_path(expected: str, actual: str) -> bool:
    """Return whether both are paths to one place; addresses of the web and text of several lines are none."""
    if "://" in expected + actual or "\n" in expected + actual:
        return False
    is_path = any(sign in text for sign in "/\\" for text in (expected, actual))
    return is_path and bool(expected) and bool(actual) and normal_path(expected) == normal_path(actual)
