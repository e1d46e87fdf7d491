"""End of a run before all of its attempts had run."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pytest_mcpbench.core.arm import is_fresh
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.joined_runs import joined_runs

_WORDS = {
    "budget": "budget used up",
    "running": "still running",
    "killed": "killed before its end",
}


def end_facts(report: Report) -> dict[str, Any] | None:
    """Return ``{cause, reason, ran, selected}``; ``None`` if the run ended by itself.

    Fresh trials of gates are not counted: nobody knows before how many there are. Of runs that were joined, ``reason``
    says how each of the incomplete ones ended.
    """
    ran = sum(not is_fresh(entry.arm) for entry in report.entries)
    runs = joined_runs(report)
    if runs:
        ends = [(run, _facts(run, int(run.get("attempts", 0)))) for run in runs]
        sentences = [f"{run.get('directory')}: {_sentence(end)}" for run, end in ends if end is not None]
        cause = f"{len(sentences)} of {len(runs)} runs did not end by themselves"
        return {"cause": cause, "reason": "; ".join(sentences), "ran": ran, "selected": None} if sentences else None
    return _facts(report.facts, ran)


def end_sentence(report: Report) -> str | None:
    """Return ``interrupted: 12 of 50 attempts ran (SIGTERM)``; ``None`` if the run ended by itself."""
    end = end_facts(report)
    return None if end is None else _sentence(end)


def damage_sentence(report: Report) -> str | None:
    """Return ``3 records cannot be read and are left out``; ``None`` if there is none."""
    if not report.damaged:
        return None
    return (
        "1 record cannot be read and is left out"
        if report.damaged == 1
        else (f"{report.damaged:,} records cannot be read and are left out")
    )


def end_of_run(facts: Mapping[str, Any], ran: int) -> str:
    """Return how a run ended of which so many attempts are there; empty if by itself."""
    end = _facts(facts, ran)
    return "" if end is None else _sentence(end)


def _facts(facts: Mapping[str, Any], ran: int) -> dict[str, Any] | None:
    end = facts.get("end")
    if not isinstance(end, Mapping):
        return None
    selected = end.get("selected", facts.get("selected"))
    return {"cause": end.get("cause"), "reason": end.get("reason"), "ran": ran, "selected": selected}


def _sentence(end: Mapping[str, Any]) -> str:
    total = f" of {end['selected']:,}" if isinstance(end["selected"], int) else ""
    reason = f" ({end['reason']})" if end["reason"] else ""
    return f"{_WORDS.get(str(end['cause']), end['cause'])}: {end['ran']:,}{total} attempts ran{reason}"


# Time during which at least one attempt was running, which is what a clock on the wall shows.


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
