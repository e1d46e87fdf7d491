"""Ends of runs before all of their attempts had run, of one run or of several that were joined, and their time."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from pytest_mcpbench.core.arm import is_fresh
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.forms.number_formats import quantity

JOINED = "merged"
"""Fact with the facts of each run."""


def joined_runs(report: Report) -> tuple[Mapping[str, Any], ...]:
    """Return the facts of each run; none if the report is that of one run."""
    runs = report.facts.get(JOINED)
    return tuple(run for run in runs if isinstance(run, Mapping)) if isinstance(runs, list) else ()


FAILED_KINDS = ("usage error", "internal error", "lock", "lint", "snapshot", "findability", "collection", "test")
"""Kinds of tests that fail a run beside its attempts, in the order in which reports name them."""


class FailedTest(NamedTuple):
    """A test other than an attempt or a gate that failed a run."""

    kind: str
    name: str
    reason: str


def failed_tests(report: Report) -> list[FailedTest]:
    """Return the tests of pytest that failed beside attempts and gates, as the run stored them."""
    stored = [run.get("failed_tests") for run in (report.facts, *joined_runs(report))]
    tests = [test for each in stored if isinstance(each, list) for test in each]
    gates = {gate.node_id for gate in report.gates}
    return [
        FailedTest(kind if kind in FAILED_KINDS else "test", name, reason)
        for kind, name, reason in tests
        if name not in gates
    ]


_EARLY = " before its end"
_WORDS = {
    "budget": "budget used up",
    "running": "still running",
    "killed": f"killed{_EARLY}",
}


def end_facts(report: Report) -> dict[str, Any] | None:
    """Return ``{cause, reason, ran, fresh_trials, selected, tests_left}``; ``None`` if the run ended by itself.

    Fresh trials of gates are counted apart: nobody knows before how many there are. Of runs that were joined,
    ``reason`` says how each of the incomplete ones ended.
    """
    fresh = sum(is_fresh(entry.arm) for entry in report.entries)
    ran = len(report.entries) - fresh
    runs = joined_runs(report)
    if runs:
        ends = [(run, _facts(run, int(run.get("attempts", 0)))) for run in runs]
        sentences = [f"{run.get('directory')}: {_sentence(end)}" for run, end in ends if end is not None]
        cause = f"{len(sentences)} of {quantity(len(runs), 'run')} did not end by themselves"
        end = {"cause": cause, "reason": "; ".join(sentences), "ran": ran, "fresh_trials": fresh}
        return {**end, "selected": None, "tests_left": None} if sentences else None
    return _facts(report.facts, ran, fresh)


def end_sentence(report: Report) -> str | None:
    """Return ``interrupted: 12 of 50 attempts ran (SIGTERM)``; ``None`` if the run ended by itself.

    If all attempts ran, other tests or the fresh trials of gates are missing: ``interrupted after the last attempt: 50
    attempts and 3 fresh trials ran, 1 test did not end (SIGTERM)``.
    The sentence names the gates that have no verdict, because the run ended before.
    """
    end = end_facts(report)
    if end is None:
        return None
    decided = {(gate.suite, gate.model) for gate in report.gates}
    begun = dict.fromkeys((entry.suite, entry.model) for entry in report.entries if entry.arm)
    open_gates = [f"{suite}, {model}" for suite, model in begun if (suite, model) not in decided]
    return _sentence(end) + (f"; no verdict on the changed texts of {'; '.join(open_gates)}" if open_gates else "")


def damage_sentence(report: Report) -> str | None:
    """Return ``3 records cannot be read and are left out``; ``None`` if there is none."""
    if not report.damaged:
        return None
    return (
        "1 record cannot be read and is left out"
        if report.damaged == 1
        else (f"{report.damaged:,} records cannot be read and are left out")
    )


def restarts_sentence(report: Report) -> str | None:
    """Return ``shared servers were lost and restarted: mail 12 times; 30 calls were made once more``, or ``None``.

    Without the second half if no call was made once more.
    """
    counts: Counter[str] = Counter()
    for entry in report.entries:
        counts.update(entry.restarts)
    if not counts:
        return None
    restarts = ", ".join(
        f"{name} {'once' if count == 1 else f'{count:,} times'}" for name, count in sorted(counts.items())
    )
    repeated = sum(entry.repeated_calls for entry in report.entries)
    calls = "1 call was" if repeated == 1 else f"{repeated:,} calls were"
    more = f"; {calls} made once more" if repeated else ""
    return f"shared servers were lost and restarted: {restarts}{more}"


def end_of_run(facts: Mapping[str, Any], ran: int) -> str:
    """Return how a run ended of which so many attempts are there; empty if by itself."""
    end = _facts(facts, ran)
    return "" if end is None else _sentence(end)


def _facts(facts: Mapping[str, Any], ran: int, fresh: int = 0) -> dict[str, Any] | None:
    end = facts.get("end")
    if not isinstance(end, Mapping):
        return None
    selected = end.get("selected", facts.get("selected"))
    ended = {"cause": end.get("cause"), "reason": end.get("reason"), "ran": ran, "fresh_trials": fresh}
    return {**ended, "selected": selected, "tests_left": end.get("tests_left")}


def _sentence(end: Mapping[str, Any]) -> str:
    cause, ran = _WORDS.get(str(end["cause"]), str(end["cause"])), quantity(end["ran"], "attempt")
    reason = f" ({end['reason']})" if end["reason"] else ""
    if not isinstance(end["selected"], int):
        return f"{cause}: {ran} ran{reason}"
    if end["ran"] < end["selected"]:
        return f"{cause}: {end['ran']:,} of {quantity(end['selected'], 'attempt')} ran{reason}"
    fresh = f" and {quantity(end['fresh_trials'], 'fresh trial')}" if end["fresh_trials"] else ""
    left = f", {quantity(end['tests_left'], 'test')} did not end" if end["tests_left"] else ""
    return f"{cause.removesuffix(_EARLY)} after the last attempt: {ran}{fresh} ran{left}{reason}"


def wall_seconds(report: Report) -> float | None:
    """Return the time by the clock from the first attempt of the latest start of a run to the end of its last one.

    ``None`` if an attempt does not know when it started, or if the report joins several runs.
    """
    latest = str(report.facts.get("resumed_at") or "")
    own = [entry for entry in report.entries if not entry.is_taken_over and entry.started_at >= latest]
    if joined_runs(report) or not own:
        return None
    try:
        starts = [datetime.fromisoformat(entry.begin).timestamp() for entry in own]
    except ValueError:
        return None
    return max(start + entry.seconds for start, entry in zip(starts, own, strict=True)) - min(starts)
