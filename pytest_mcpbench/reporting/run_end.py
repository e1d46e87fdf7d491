"""End of a run before all of its attempts had run."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.arm import is_fresh
from pytest_mcpbench.core.report import Report

_WORDS = {"budget": "budget used up"}


def end_facts(report: Report) -> dict[str, Any] | None:
    """Return ``{cause, reason, ran, selected}``; ``None`` if the run ended by itself.

    Fresh trials of gates are not counted: nobody knows before how many there are.
    """
    end = report.facts.get("end")
    if not isinstance(end, Mapping):
        return None
    ran = sum(not is_fresh(entry.arm) for entry in report.entries)
    return {"cause": end.get("cause"), "reason": end.get("reason"), "ran": ran, "selected": end.get("selected")}


def end_sentence(report: Report) -> str | None:
    """Return ``interrupted: 12 of 50 attempts ran (SIGTERM)``; ``None`` if the run ended by itself."""
    end = end_facts(report)
    if end is None:
        return None
    total = f" of {end['selected']:,}" if isinstance(end["selected"], int) else ""
    reason = f" ({end['reason']})" if end["reason"] else ""
    return f"{_WORDS.get(str(end['cause']), end['cause'])}: {end['ran']:,}{total} attempts ran{reason}"
