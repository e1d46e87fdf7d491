"""Thoughts in the text of a model, between the marks that a server without a reasoning parser does not remove."""

import re
from collections.abc import Iterator

_MARK = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return the text of a model without its thoughts; a text without marks of thoughts is unchanged.

    The opening mark may be missing where a chat template writes it, and the closing one where the reply is cut off.
    """
    return "".join(_said(text)).strip() if _MARK.search(text) else text


def _said(text: str) -> Iterator[str]:
    """Yield the parts outside of the marks."""
    position, opening = 0, None
    for number, mark in enumerate(_MARK.finditer(text)):
        is_end = bool(mark[1])
        if not is_end and opening is None:
            opening = mark.start()
            yield text[position:opening]
            position = opening
        elif is_end and (opening is not None or number == 0):
            opening, position = None, mark.end()
    if opening is None or not _begins_line(text, opening):
        yield text[position:]


def _begins_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()
