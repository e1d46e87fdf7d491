"""Time during which at least one attempt was running, which is what a clock on the wall shows."""

from collections.abc import Iterable
from datetime import datetime

from pytest_mcpbench.core.report import Entry


def busy_seconds(entries: Iterable[Entry]) -> float | None:
    """Return the seconds in which attempts ran: overlaps count once, and pauses between sessions do not count.

    ``None`` if an attempt does not know when it started, or if there is none.
    """
    spans: list[tuple[float, float]] = []
    for entry in entries:
        start = _timestamp(entry.started_at)
        if start is None:
            return None
        spans.append((start, start + entry.seconds))
    return _union(sorted(spans)) if spans else None


def _union(spans: list[tuple[float, float]]) -> float:
    total, end = 0.0, spans[0][0]
    for start, stop in spans:
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def _timestamp(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
