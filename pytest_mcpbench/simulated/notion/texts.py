"""Rich text as agents send it: checked, and completed to what the API answers with."""

from typing import Any

from pytest_mcpbench.simulated.notion.failures import malformed
from pytest_mcpbench.simulated.notion.objects import Object, complete_text

_KINDS = ("text", "mention", "equation")


def completed(pieces: Any, place: str) -> list[Object]:
    """The pieces of a text; ``place`` is where in the request they stand."""
    if not isinstance(pieces, list | tuple):
        raise malformed(place, "defined" if pieces is ... else "an array", pieces)
    for number, piece in enumerate(pieces):
        _check(piece, f"{place}[{number}]")
    return [complete_text(piece) for piece in pieces]


def _check(piece: Any, place: str) -> None:
    if not isinstance(piece, dict):
        raise malformed(place, "an object", piece)
    for name in (*_KINDS, "annotations"):
        if name in piece and not isinstance(piece[name], dict):
            raise malformed(f"{place}.{name}", "an object", piece[name])
    kind = piece.get("type", next((name for name in _KINDS if name in piece), "text"))
    if kind not in _KINDS:
        raise malformed(f"{place}.type", "`text`, `mention` or `equation`", kind)
    if kind != "text" and kind not in piece:
        raise malformed(f"{place}.{kind}", "defined", ...)
    content = piece.get("text", {}).get("content", ...)
    if kind == "text" and not isinstance(content, str):
        raise malformed(f"{place}.text.content", "defined" if content is ... else "a string", content)
