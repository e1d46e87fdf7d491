"""Estimated size of text in charts, and places of labels that do not overlap."""

from collections.abc import Sequence

from pytest_mcpbench.reporting.forms.display_text import one_line, width

_NARROW = frozenset("iljtfrI.,:;'|!()[] /-")
_WIDE = frozenset("mwMW%@+")
_ELLIPSIS = "…"


def text_width(text: str, size: float = 13) -> float:
    """Return the approximate width of a text in a sans-serif font, rather too large than too small."""
    return sum(_ems(character) for character in text) * size


def fitted_text(text: str, space: float, size: float = 13) -> str:
    """Return the text on one line, with its middle cut so that it fits: names often differ only at their ends."""
    line = one_line(text)
    if text_width(line, size) <= space:
        return line
    for kept in range(len(line) - 1, 0, -1):
        head, tail = line[: (kept + 1) // 2].rstrip(), line[len(line) - kept // 2 :].lstrip()
        if text_width(head + _ELLIPSIS + tail, size) <= space:
            return head + _ELLIPSIS + tail
    return _ELLIPSIS


def wrapped_lines(text: str, space: float, lines: int = 2) -> tuple[str, ...]:
    """Return the text on at most this many lines, broken at spaces, slashes, hyphens and underscores."""
    parts: list[str] = []
    rest = one_line(text)
    while rest and len(parts) < lines - 1 and text_width(rest) > space:
        fitting = max((end for end in range(1, len(rest) + 1) if text_width(rest[:end].rstrip()) <= space), default=1)
        breaks = [end for end in range(1, fitting + 1) if rest[end - 1] in " /-_:"]
        head = rest[: breaks[-1]] if breaks else rest[:fitting]
        parts.append(head.rstrip())
        rest = rest[len(head) :].lstrip()
    return (*parts, fitted_text(rest, space)) if rest else tuple(parts)


def spread(places: Sequence[float], distance: float, low: float, high: float) -> tuple[float, ...]:
    """Return places at least ``distance`` apart, within the bounds if they fit, each near the place that it had."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [min(max(places[index], low), high) for index in order]
    for index in range(1, len(moved)):
        moved[index] = max(moved[index], moved[index - 1] + distance)
    if moved and moved[-1] > high:
        moved[-1] = high
        for index in range(len(moved) - 2, -1, -1):
            moved[index] = min(moved[index], moved[index + 1] - distance)
    result = [0.0] * len(places)
    for index, place in zip(order, moved, strict=True):
        result[index] = place
    return tuple(result)


def _ems(character: str) -> float:
    if character == _ELLIPSIS:
        return 1.0
    if not character.isascii():
        return 0.62 * width(character)
    if character in _NARROW:
        return 0.37
    if character in _WIDE:
        return 0.92
    if character.isdigit():
        return 0.64
    return 0.72 if character.isupper() else 0.61
