"""Forms in which one text may stand in a world: case of addresses, offsets of times, line ends, bullets."""

import posixpath
import re
from collections import Counter

from pytest_mcpbench.metrics.comparison.comparators import PLAIN_EMAIL, same_email
from pytest_mcpbench.text.moments import parse_iso

_BULLET = re.compile(r"[-*+•] (?!\[[ xX]\])")
"""Bullet of a list; a box to tick says something."""
_PROSE = ("", ".md", ".txt")
"""Suffixes of files in which bullets and blank lines say nothing."""


def same_form(expected: str, actual: str) -> bool:
    """Return whether two texts say the same in any place: an address, a moment, or the same text up to its line end."""
    if expected.rstrip("\n") == actual.rstrip("\n"):
        return True
    if PLAIN_EMAIL.fullmatch(expected) and PLAIN_EMAIL.fullmatch(actual):
        return same_email(expected, actual)
    first, second = parse_iso(expected), parse_iso(actual)
    if first is None or second is None or (first.tzinfo is None) != (second.tzinfo is None):
        return False
    return first == second


def same_words(expected: str, actual: str) -> bool:
    """Return whether two texts in free words differ only in case, spaces, underscores and the sign at their end."""
    return _words(expected) == _words(actual)


def _words(text: str) -> list[str]:
    return text.casefold().replace("_", " ").rstrip(" .!。！\n").split()


def same_note(name: str, before: str, expected: str, actual: str) -> bool:
    """Return whether two edits of a file of prose differ only in bullets of new lines and in blank lines.

    False where the bullets themselves are what the expected edit changes.
    """
    if posixpath.splitext(name)[1] not in _PROSE:
        return False
    old, wanted, found = _lines(before), _lines(expected), _lines(actual)
    kept, added, removed = (
        Counter(old) & Counter(wanted),
        Counter(wanted) - Counter(old),
        Counter(old) - Counter(wanted),
    )
    if {_plain(line) for line in added} & {_plain(line) for line in removed} or kept - Counter(found):
        return False
    return [_plain(line) for line in wanted] == [_plain(line) for line in found]


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _plain(line: str) -> str:
    return _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
