"""Reasons for which attempts have no verdict, in words that say what would give them one."""

from collections import Counter
from collections.abc import Iterable, Mapping

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity


def undecided_sentence(entries: Iterable[Entry]) -> str:
    """Return how many attempts no rule could decide, and the options that decide them; empty without any."""
    every = list(entries)
    models = compared_models(entry.model for entry in every)
    counted = [entry for entry in every if entry.model in models]
    count = sum(entry.needs_reader for entry in counted)
    return (
        f"no rule could decide the free words of {count:,} of {quantity(len(counted), 'attempt')}; "
        "a model as judge can: --mcpbench-judge=keyfacts+MODEL, or mcpbench rescore --judge=MODEL"
        if count
        else ""
    )


def other_reasons(entries: Iterable[Entry]) -> Counter[str]:
    """Return each other reason for which attempts are unscored, with their number."""
    return Counter(entry.why_unscored for entry in entries if entry.outcome == "unscored" and not entry.needs_reader)


def failing_unscored(report: Report) -> int:
    """Return the number of unscored attempts that fail the run; 0 unless its setting ``unscored`` is ``fail``."""
    settings = report.facts.get("settings")
    if not isinstance(settings, Mapping) or settings.get("unscored") != "fail":
        return 0
    return sum(entry.outcome == "unscored" and not entry.arm for entry in report.entries)


def no_verdict_reason(entries: Iterable[Entry]) -> str:
    """Return why no attempt has a verdict: the most frequent error or reason, on one line; empty without any."""
    every = list(entries)
    undecided = undecided_sentence(every)
    reasons = Counter(
        undecided
        if entry.needs_reader
        else entry.why_unscored
        if entry.outcome == "unscored"
        else (entry.error or "").partition("\n")[0]
        for entry in every
    )
    return one_line(reasons.most_common(1)[0][0], 300) if reasons else ""
