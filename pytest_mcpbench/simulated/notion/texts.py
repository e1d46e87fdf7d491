"""Validation of the rich text in a request, and its completion to what the API returns."""

from typing import Any

from pytest_mcpbench.simulated.notion.failures import invalid_value
from pytest_mcpbench.simulated.notion.objects import Object, complete_text

_KINDS = ("text", "mention", "equation")


def complete_texts(pieces: Any, place: str) -> list[Object]:
    """Return the completed pieces of a text; ``place`` is its position in the request, for error messages."""
    if not isinstance(pieces, list | tuple):
        raise invalid_value(place, "defined" if pieces is ... else "an array", pieces)
    for number, piece in enumerate(pieces):
        _check(piece, f"{place}[{number}]")
    return [complete_text(piece) for piece in pieces]


def _check(piece: Any, place: str) -> None:
    if not isinstance(piece, dict):
        raise invalid_value(place, "an object", piece)
    for name in (*_KINDS, "annotations"):
        if name in piece and not isinstance(piece[name], dict):
            raise invalid_value(f"{place}.{name}", "an object", piece[name])
    kind = piece.get("type", next((name for name in _KINDS if name in piece), "text"))
    if kind not in _KINDS:
        raise invalid_value(f"{place}.type", "`text`, `mention` or `equation`", kind)
    if kind != "text" and kind not in piece:
        raise invalid_value(f"{place}.{kind}", "defined", ...)
    content = piece.get("text", {}).get("content", ...)
    if kind == "text" and not isinstance(content, str):
        raise invalid_value(f"{place}.text.content", "defined" if content is ... else "a string", content)
