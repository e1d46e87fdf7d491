"""Whether an argument does what the reference's does, however it is written (MCP-RADAR 4.2, fuzzy match).

Every key of the reference must be there, others are ignored; one value is a list of one; addresses of e-mail are
casefolded, paths normalised, dates and times parsed. Other text is equal after NFC and trimming, and case counts.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.metrics.comparison.arguments import NOTHING, Difference, is_number, same_number
from pytest_mcpbench.metrics.comparison.comparators import moment, normal_path, same_email, words

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
    """How arguments are compared; see the module."""

    free_text: frozenset[str] = FREE_TEXT
    """Keys, at any depth, whose text only has to satisfy ``is_fine``."""
    is_fine: Callable[[str, str], bool] = lambda _reference, text: bool(text.strip())
    """Whether a free text will do beside the reference's; by default: it is not empty."""
    sets: frozenset[str] = frozenset()
    """Keys, at any depth, whose lists have no order."""
    root: str = ""
    """Directory from which relative paths lead and for which ``~`` stands, so that they may be absolute as well."""

    def differences(
        self, reference: Mapping[str, Any], given: Mapping[str, Any], optional: Collection[str] = ()
    ) -> tuple[Difference, ...]:
        """Where the arguments do not do what the reference's do; ``optional`` keys may be absent."""
        return tuple(
            difference
            for key, value in reference.items()
            if key in given or key not in optional
            for difference in self._of_key(key, key, value, given.get(key, NOTHING))
        )

    def _of_key(self, key: str, path: str, expected: Any, got: Any) -> Iterator[Difference]:
        if got is NOTHING:
            yield Difference(path, expected, NOTHING)
        elif key in self.free_text and isinstance(expected, str):
            if not isinstance(got, str) or (expected.strip() and not self.is_fine(expected, got)):
                yield Difference(path, expected, got)
        else:
            yield from self._of_values(key, path, expected, got)

    def _of_values(self, key: str, path: str, expected: Any, got: Any) -> Iterator[Difference]:
        if isinstance(expected, list) != isinstance(got, list):
            expected, got = _listed(expected), _listed(got)
        if isinstance(expected, list):
            yield from self._of_lists(key, path, expected, got)
        elif isinstance(expected, Mapping) and isinstance(got, Mapping):
            for inner, value in expected.items():
                yield from self._of_key(inner, f"{path}.{inner}", value, got.get(inner, NOTHING))
        elif not same_operand(expected, got) and not self._is_same_place(expected, got):
            yield Difference(path, expected, got)

    def _is_same_place(self, expected: Any, got: Any) -> bool:
        if not self.root or not isinstance(expected, str) or not isinstance(got, str):
            return False
        return bool(expected and got) and same_operand(self._rooted(expected), self._rooted(got))

    def _rooted(self, path: str) -> str:
        """The path from the root on; what is none (several lines, an address of the web) as it is."""
        if path.startswith("/") or "://" in path or "\n" in path:
            return path
        return f"{self.root}/{path.removeprefix('~').lstrip('/')}"

    def _of_lists(self, key: str, path: str, expected: list[Any], got: list[Any]) -> Iterator[Difference]:
        if len(expected) != len(got):
            yield Difference(path, expected, got)
        elif key in self.sets:
            if not self._has_same_items(key, expected, got):
                yield Difference(path, expected, got)
        else:
            for index, (one, other) in enumerate(zip(expected, got, strict=True)):
                yield from self._of_key(key, f"{path}[{index}]", one, other)

    def _has_same_items(self, key: str, expected: list[Any], got: list[Any]) -> bool:
        left = list(got)
        for one in expected:
            found = next((i for i, other in enumerate(left) if not any(self._of_key(key, key, one, other))), None)
            if found is None:
                return False
            del left[found]
        return True


def same_operand(expected: Any, got: Any) -> bool:
    """Whether two values that are no list and no object do the same."""
    if isinstance(expected, str) and isinstance(got, str):
        return _same_text(_trimmed(expected), _trimmed(got))
    if is_number(expected) and is_number(got):
        return same_number(expected, got)
    return type(expected) is type(got) and bool(expected == got)


def rouge_l(reference: str, text: str) -> float:
    """ROUGE-L (Lin 2004): F1 of the longest common subsequence of words.

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


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _trimmed(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _same_text(expected: str, got: str) -> bool:
    if expected == got:
        return True
    if _EMAIL.fullmatch(expected) and _EMAIL.fullmatch(got):
        return same_email(expected, got)
    if _is_date(expected) and _is_date(got):
        return _same_moment(expected, got)
    return _same_path(expected, got)


def _is_date(text: str) -> bool:
    return len(text) <= _LONGEST_DATE and _DATE_OR_TIME.search(text) is not None


def _same_moment(expected: str, got: str) -> bool:
    first, second = moment(expected), moment(got)
    if first is None or second is None:
        return _same_path(expected, got)
    if first.tzinfo is None or second.tzinfo is None:
        return first.replace(tzinfo=None) == second.replace(tzinfo=None)
    return first == second


def _same_path(expected: str, got: str) -> bool:
    """Whether both are paths to one place; addresses of the web and text of several lines are none."""
    if "://" in expected + got or "\n" in expected + got:
        return False
    is_path = any(sign in text for sign in "/\\" for text in (expected, got))
    return is_path and bool(expected) and bool(got) and normal_path(expected) == normal_path(got)
