"""Sentence about what the agent ``lexical`` can be expected to reach, so that its failures alarm nobody."""

from collections.abc import Iterator, Mapping
from textwrap import wrap

from pydantic import JsonValue

from pytest_mcpbench.core.model_names import LEXICAL
from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.report import Entry, Report

_COLUMNS = 120


def agents_without_model(report: Report, columns: int | None = None) -> Iterator[str]:
    """Yield the sentence if attempts of ``lexical`` failed; the pass rates are those that suites state."""
    failed = {entry.suite for entry in report.entries if entry.model == LEXICAL and _is_failed(entry)}
    if not failed:
        return
    stated = {
        suite: rate
        for suite in sorted(failed, key=natural_key)
        if (rate := _stated_rate(report.facts, suite)) is not None
    }
    rates = ", ".join(f"{rate * 100:.0f} % of {suite}" for suite, rate in stated.items())
    reach = f" and is known to pass about {rates}" if rates else " and fails what needs more than matching words"
    text = f"{LEXICAL} is no model: it chooses tools by their words{reach}. Choose a model with --model=NAME."
    yield ""
    yield from wrap(text, columns or _COLUMNS)


def _is_failed(entry: Entry) -> bool:
    return entry.outcome == "failed" and not entry.arm


def _stated_rate(facts: Mapping[str, JsonValue], suite: str) -> float | None:
    """Return the pass rate of ``lexical`` that the manifest of a suite states."""
    suites = facts.get("suites")
    of_suite = suites.get(suite) if isinstance(suites, dict) else None
    rates = of_suite.get("pass_rates") if isinstance(of_suite, dict) else None
    rate = rates.get(LEXICAL) if isinstance(rates, dict) else None
    return float(rate) if isinstance(rate, int | float) else None
