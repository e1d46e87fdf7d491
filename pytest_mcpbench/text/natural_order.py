"""Natural order of names: ``single-2`` comes before ``single-10``."""

import functools
import re
from collections.abc import Iterable

_NUMBER = re.compile(r"(\d+)")

_MOST_DIGITS = 1000
"""Digits of a number that count; Python refuses to convert more than 4,300."""

NaturalKey = tuple[tuple[str | int, ...], str]


@functools.lru_cache(maxsize=16384)
def natural_key(name: str) -> NaturalKey:
    """Return a key that sorts the numbers in names by their value; text and numbers alternate, beginning with text."""
    parts = _NUMBER.split(name)
    return tuple(int(part[:_MOST_DIGITS]) if index % 2 else part for index, part in enumerate(parts)), name


def natural_keys(names: Iterable[str]) -> tuple[NaturalKey, ...]:
    """Return a key that sorts by the first name, then by the second one, and so on."""
    return tuple(map(natural_key, names))
