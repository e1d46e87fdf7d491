"""Differences between texts line by line, and passages that a text says twice."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_value

_PASSAGE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
_LEAST_IDEOGRAPHS = 8


@dataclass(frozen=True)
class _Edits:
    """The lines that an edit added to a text, removed and kept; blank lines do not count."""

    added: Counter[str]
    removed: Counter[str]
    kept: Counter[str]

    @classmethod
    def between(cls, before: str, after: str) -> "_Edits":
        old, new = _lines(before), _lines(after)
        return cls(added=new - old, removed=old - new, kept=old & new)


def insertion_problem(before: str, expected: str, actual: str) -> str:
    """Return the difference between two ways to insert lines into a text; empty if there is none.

    The same lines must stay. The words of the new ones may differ, and so may their number, unless it is one line.
    The expected text may also be another text altogether; then there is nothing to compare.
    """
    wanted, made = _Edits.between(before, expected), _Edits.between(before, actual)
    if not (wanted.added and wanted.kept):
        return ""
    if gone := made.removed - wanted.removed:
        return f"{format_value(next(iter(gone)))} is gone"
    if left := wanted.removed - made.removed:
        return f"{format_value(next(iter(left)))} is still there"
    if wanted.added.total() == 1 < made.added.total():
        return f"{made.added.total()} lines were added instead of one"
    return ""


def repeated_passage(expected: str, actual: str) -> str:
    """Return a line or sentence that a text has twice or more, and more often than the expected text; or an empty text.

    Short passages, such as the lines of a table, may be repeated.
    """
    usual = Counter(_passages(expected))
    return next((each for each, count in Counter(_passages(actual)).items() if count > max(usual[each], 1)), "")


def _passages(text: str) -> Iterable[str]:
    """Return the lines and sentences with two words or eight ideographs."""
    passages = (each.strip() for each in _PASSAGE_END.split(text) if any(character.isalnum() for character in each))
    return [each for each in passages if len(each.split()) > 1 or len(each) >= _LEAST_IDEOGRAPHS]


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.strip())
