"""Suggestions for names that do not exist: the one wording and the one measure of nearness."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str], *, most: int = 1) -> list[str]:
    """Return the known names that are most like a name, the nearest first; empty if none is near."""
    return get_close_matches(name, list(dict.fromkeys(known)), n=most)


def did_you_mean(name: str, known: Iterable[str], *, most: int = 1) -> str | None:
    """Return ``Did you mean 'gmail'?``, or ``None`` if no known name is near."""
    near = nearest(name, known, most=most)
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else None


def hint(name: str, known: Iterable[str], *, none: str = "There are none.") -> str:
    """Return the nearest known name as a question, or the list of all; ``none`` if there are no names."""
    names = sorted(known)
    return did_you_mean(name, names) or (f"There are: {', '.join(names)}." if names else none)
