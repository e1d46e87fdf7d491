"""Difficulty of a task by the number of its reference calls, as FinMCP-Bench defines it (section 2.5)."""

_LEVELS = ((5, "easy"), (10, "medium"))


def difficulty(calls: int) -> str:
    """Return ``easy`` for up to five reference calls, ``medium`` for up to ten, else ``hard``."""
    return next((level for most, level in _LEVELS if calls <= most), "hard")
