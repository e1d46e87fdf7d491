"""Thoughts in the text of a model, between the marks that a server without a reasoning parser does not remove."""

import re

_MARK = re.compile(r"<(/?)(?:think|thinking|thought)>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return the text of a model without its thoughts; a text without marks of thoughts is unchanged.

    The opening mark may be missing where a chat template writes it, and the closing one where the reply is cut off.
    """
    if not _MARK.search(text):
        return text
    outside = []
    position, opening = 0, None
    for number, mark in enumerate(_MARK.finditer(text)):
        is_end = bool(mark[1])
        if not is_end and opening is None:
            opening = mark.start()
            outside.append(text[position:opening])
            position = opening
        elif is_end and (opening is not None or number == 0):
            opening, position = None, mark.end()
    # A mark inside a line that is never closed is a part of the text.
    if opening is None or text[text.rfind("\n", 0, opening) + 1 : opening].strip():
        outside.append(text[position:])
    return "".join(outside).strip()
