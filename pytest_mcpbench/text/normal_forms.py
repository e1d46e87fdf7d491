"""Text in normal form: Unicode in linear time, and no lone surrogates."""

import functools
import re
import unicodedata
from typing import Any, Literal

# Normal forms of Unicode in linear time.
#
# :func:`unicodedata.normalize` sorts each run of combining marks in quadratic time, 8 s for 64,000 of them.

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_MOST_MARKS = 30
"""Combining marks in a row of the Stream-Safe Text Format (Unicode Standard Annex #15)."""

_JOINER = "\u034f"
"""Combining grapheme joiner, over which no marks are sorted."""

_MAY_HAVE_MARKS = re.compile(rf"[^\x00-\u02ff]{{{_MOST_MARKS + 1}}}")
"""Beginning of what may be such a run; cheap, and found in no text in Latin letters."""


def normal_form(form: Form, text: str) -> str:
    """Return the normal form of a text; runs of more than 30 combining marks are divided before."""
    if _MAY_HAVE_MARKS.search(text) is not None and _long_run().search(text) is not None:
        parts: list[str] = []
        marks = 0
        for character in text:
            marks = marks + 1 if unicodedata.combining(character) else 0
            if marks > _MOST_MARKS:
                parts.append(_JOINER)
                marks = 1
            parts.append(character)
        text = "".join(parts)
    return unicodedata.normalize(form, text)


@functools.cache
def _long_run() -> Any:
    """Return the pattern of too many combining marks: characters whose combining class is not 0."""
    import regex  # type: ignore[import-untyped]  # it ships no types

    return regex.compile(rf"\P{{ccc=0}}{{{_MOST_MARKS + 1}}}")


# Replacement of lone surrogates, which Python and the escapes of JSON allow and UTF-8 cannot encode.


def replace_surrogates(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD, the replacement character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_surrogates(value: Any) -> Any:
    """Return a value of lists, tuples and dictionaries with the lone surrogates of its keys and texts replaced."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [without_surrogates(item) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return value
