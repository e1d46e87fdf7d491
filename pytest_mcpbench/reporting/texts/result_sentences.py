"""The result of each model in one sentence, and the command that shows one of its failures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from pytest_mcpbench.core.model_names import LEXICAL
from pytest_mcpbench.core.report import Report, short_suite_name
from pytest_mcpbench.core.trajectory import CALL_IN_TEXT
from pytest_mcpbench.reporting.aggregates.failure_causes import cause_of
from pytest_mcpbench.reporting.aggregates.summary import Summary, summaries
from pytest_mcpbench.reporting.aggregates.telling_tasks import failing_tasks
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.table import model_name
from pytest_mcpbench.reporting.texts.failures import TEXT_CALLS_REMEDY

_CAUSES = 3


def result_sentences(report: Report) -> Iterator[str]:
    """Yield a sentence for each model: its pass rates with their 95 % intervals, and why most of its attempts failed.

    Arms of a comparison are left out: their results are the verdicts of the gates.
    """
    entries = [entry for entry in report.entries if not entry.arm]
    by_model: dict[str, list[Summary]] = {}
    for summary in summaries(Report(entries=tuple(entries))):
        by_model.setdefault(summary.model, []).append(summary)
    for model, summary_list in by_model.items():
        rates = ", ".join(
            _rate(summary, report.facts) for summary in summary_list if summary.verdicts or summary.unscored
        )
        parts = [f"{model_name(model)} passes {rates}" if rates else f"{model_name(model)} has no verdict"]
        causes = Counter(
            cause_of(entry).kind
            for entry in entries
            if entry.model == model and entry.outcome == "failed" and not entry.is_xfail
        )
        if causes:
            parts.append(f"most failures: {', '.join(f'{kind} {n:,}' for kind, n in causes.most_common(_CAUSES))}")
        parts += _left_out(summary_list)
        written = sum(each.failures.get("rules", {}).get(CALL_IN_TEXT, 0) for each in summary_list)
        if written:
            parts.append(f"{quantity(written, 'attempt')} wrote a call as text: {TEXT_CALLS_REMEDY}")
        yield f"{'; '.join(parts)}."


def telling_attempt(report: Report) -> tuple[str, ...] | None:
    """Return the arguments after the run with which ``mcpbench show`` prints the most telling attempt without a pass.

    Its suite and model are named if the report has several.
    """
    told = failing_tasks(report.entries)
    if not told:
        return None
    entry = told[0].entry
    options = [
        f"--{name}={value}"
        for name, value in (("suite", short_suite_name(entry)), ("model", entry.model))
        if len({getattr(each, name) for each in report.entries}) > 1
    ]
    return entry.task_id, *options


def _rate(summary: Summary, facts: Mapping[str, JsonValue]) -> str:
    expected = _stated_rate(facts, summary.suite) if summary.model == LEXICAL else None
    reminder = "" if expected is None else f"; about {expected * 100:.0f} % is expected without a model"
    interval = summary.pass_interval
    assert interval is not None, "a pass rate has an interval"
    bounds = f"{interval.low * 100:.0f} – {interval.high * 100:.0f} %"
    return f"{summary.rate.text} of {one_line(summary.suite, 60)} ({bounds}{reminder})"


def _left_out(summary_list: Sequence[Summary]) -> Iterator[str]:
    errors = sum(each.errors for each in summary_list)
    if errors:
        yield f"not counted: {quantity(errors, 'error')}"


def _stated_rate(facts: Mapping[str, JsonValue], suite: str) -> float | None:
    """Return the pass rate of ``lexical`` that the manifest of a suite states."""
    suites = facts.get("suites")
    of_suite = suites.get(suite) if isinstance(suites, dict) else None
    rates = of_suite.get("pass_rates") if isinstance(of_suite, dict) else None
    rate = rates.get(LEXICAL) if isinstance(rates, dict) else None
    return float(rate) if isinstance(rate, int | float) else None
