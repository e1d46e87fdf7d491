"""Words of names and texts, and their similarity."""

import functools
import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_FILLERS = frozenset(
    {"a", "an", "the", "of", "to", "in", "on", "for", "with", "and", "or", "by", "from", "this", "tool"}
)


def words_of(text: str) -> list[str]:
    """Return the words of a text or identifier, in lower case: ``getWeather`` has two."""
    return [word.lower() for word in _WORD.findall(text)]


@functools.lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words that carry meaning, without a plural s."""
    words = (word for word in words_of(text) if word not in _FILLERS)
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words
    )


def similarity(one: str, other: str) -> float:
    """Return the share of the words of two texts that both have, from 0 to 1; 0 if a text has none."""
    left, right = content_words(one), content_words(other)
    return len(left & right) / len(left | right) if left and right else 0.0
