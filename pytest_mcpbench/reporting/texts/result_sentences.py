"""The result of a run in a few sentences, and the command that shows one of its failures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from pytest_mcpbench.core.model_names import LEXICAL, compared_models, is_competitor
from pytest_mcpbench.core.report import Entry, Report, short_suite_name
from pytest_mcpbench.core.trajectory import CALL_IN_TEXT
from pytest_mcpbench.reporting.aggregates.conditions import client_differences, condition_of_all
from pytest_mcpbench.reporting.aggregates.failure_causes import cause_of
from pytest_mcpbench.reporting.aggregates.summary import Summary, by_suite_and_model, summaries
from pytest_mcpbench.reporting.aggregates.telling_tasks import failing_tasks
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.standings import cause_text, failure_sentence
from pytest_mcpbench.reporting.tables.table import model_name
from pytest_mcpbench.reporting.texts.failures import TEXT_CALLS_REMEDY
from pytest_mcpbench.reporting.texts.lead_sentence import lead_sentence
from pytest_mcpbench.statistics.groups import group_by

_CAUSES = 3


def result_sentences(report: Report) -> Iterator[str]:
    """Yield which of several models is the best, or the result of the only one; and which wrote calls as text.

    Where no model took part there is a sentence for each agent. Arms of a comparison are left out: their results are
    the verdicts of the gates.
    """
    entries = [entry for entry in report.entries if not entry.arm]
    by_model = group_by(entries, lambda entry: entry.model)
    models = compared_models(model for (_, model), _ in by_suite_and_model(entries))
    if len(models) > 1 and is_competitor(models[0]):
        yield from filter(None, (lead_sentence(report), failure_sentence(report)))
    else:
        yield from (_result(model, by_model[model], report.facts) for model in models)
    for model in models:
        made = (entry for entry in by_model[model] if entry.outcome != "error")
        written = sum(CALL_IN_TEXT in entry.failures.get("rules", ()) for entry in made)
        if written:
            yield f"{model_name(model)} wrote a call as text in {quantity(written, 'attempt')}: {TEXT_CALLS_REMEDY}."
    yield from client_sentences(report)


def client_sentences(report: Report) -> Iterator[str]:
    """Yield which programs ran in a version that was not checked, and as which client models saw servers."""
    entries = [entry for entry in report.entries if not entry.arm]
    for model, version in sorted({(each.model, each.unchecked_program) for each in entries if each.unchecked_program}):
        yield f"{model_name(model)} ran {version}: its tools and settings may be others (`mcpbench clients check`)."
    # The names of several clients stand with their models.
    client = condition_of_all(report.facts, "client")
    if client is not None and any(is_competitor(entry.model) for entry in entries):
        others = ", ".join(client_differences(report.facts))
        exception = f", but for {others}" if others else ""
        yield f"Models saw servers as {client} shows them (--mcpbench-client){exception}."


def _result(model: str, entries: Sequence[Entry], facts: Mapping[str, JsonValue]) -> str:
    """Return the pass rates of a model with their 95 % intervals, and why most of its attempts failed."""
    summary_list = summaries(Report(entries=tuple(entries)))
    rates = ", ".join(_rate(summary, facts) for summary in summary_list if summary.verdicts or summary.unscored)
    parts = [f"{model_name(model)} passes {rates}" if rates else f"{model_name(model)} has no verdict"]
    failed = (entry for entry in entries if entry.outcome == "failed" and not entry.is_xfail)
    causes = Counter(cause_of(entry).kind for entry in failed)
    if causes:
        parts.append(f"most failures: {cause_text(causes.most_common(_CAUSES))}")
    errors = sum(each.errors for each in summary_list)
    if errors:
        parts.append(f"not counted: {quantity(errors, 'error')}")
    return f"{'; '.join(parts)}."


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
    if summary.model != LEXICAL:
        expected = None
    else:
        suites = facts.get("suites")
        of_suite = suites.get(summary.suite) if isinstance(suites, dict) else None
        rates = of_suite.get("pass_rates") if isinstance(of_suite, dict) else None
        rate = rates.get(LEXICAL) if isinstance(rates, dict) else None
        expected = float(rate) if isinstance(rate, int | float) else None
    reminder = "" if expected is None else f"; about {expected * 100:.0f} % is expected without a model"
    interval = summary.pass_interval
    assert interval is not None, "a pass rate has an interval"
    bounds = f"{interval.low * 100:.0f} – {interval.high * 100:.0f} %"
    return f"{summary.rate.text} of {one_line(summary.suite, 60)} ({bounds}{reminder})"
