"""Normal forms of Unicode in linear time.

:func:`unicodedata.normalize` sorts each run of combining marks in quadratic time, 8 s for 64,000 of them.
"""

import functools
import re
import unicodedata
from typing import Any, Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_MOST_MARKS = 30
"""Combining marks in a row of the Stream-Safe Text Format (Unicode Standard Annex #15)."""

_JOINER = "\u034f"
"""Combining grapheme joiner, over which no marks are sorted."""

_MAY_HAVE_MARKS = re.compile(rf"[^\x00-\u02ff]{{{_MOST_MARKS + 1}}}")
"""Beginning of what may be such a run; cheap, and found in no text in Latin letters."""


def normal_form(form: Form, text: str) -> str:
    """Return the normal form of a text; runs of more than 30 combining marks are divided before."""
    return unicodedata.normalize(form, _stream_safe(text) if _has_long_run(text) else text)


def _has_long_run(text: str) -> bool:
    return _MAY_HAVE_MARKS.search(text) is not None and _long_run().search(text) is not None


@functools.cache
def _long_run() -> Any:
    """Return the pattern of too many combining marks: characters whose combining class is not 0."""
    import regex  # type: ignore[import-untyped]  # it ships no types

    return regex.compile(rf"\P{{ccc=0}}{{{_MOST_MARKS + 1}}}")


def _stream_safe(text: str) -> str:
    parts: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MOST_MARKS:
            parts.append(_JOINER)
            marks = 1
        parts.append(character)
    return "".join(parts)
