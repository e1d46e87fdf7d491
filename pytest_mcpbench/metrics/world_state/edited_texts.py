"""Differences between two ways to insert lines into a text."""

from collections import Counter
from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_value


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


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines() if line.strip())
