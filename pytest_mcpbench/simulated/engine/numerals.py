"""Numbers that an agent writes as text."""

_MOST_DIGITS = 20
"""Digits of the largest number that a service reads; Python refuses numbers of more than 4,300."""


def whole_number(text: str) -> int | None:
    """Return the number that a text of decimal digits means; ``None`` for any other text."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
