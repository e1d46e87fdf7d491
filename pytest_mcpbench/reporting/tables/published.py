"""Table of the results that publications give for the tasks of a run, beside those that the run measured."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.conditions import tasks_of_suite
from pytest_mcpbench.reporting.aggregates.model_comparison import PASSED
from pytest_mcpbench.reporting.aggregates.summary import HEADLINE_IS_MICRO, summaries
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name
from pytest_mcpbench.statistics.groups import group_by

THIS_RUN = "this run"
_HEADINGS = ("suite", "value", "tasks", "model", "measured by", "result", "n")
_NOTE = (
    "numbers of publications are those of their authors, measured at another time, with their tasks, prompts and "
    f"judges; rows of {THIS_RUN} count its attempts"
)

Row = tuple[str, ...]


def published_table(report: Report) -> Table:
    """Return the table, in which the best result of each value stands first; without rows if nothing is published.

    Models that attempted only a part of a suite's tasks are left out: a publication has no numbers of that part.
    """
    rows: list[Row] = []
    facts: Any = report.facts.get("suites")
    for suite, about in facts.items() if isinstance(facts, Mapping) else ():
        tasks = tasks_of_suite(report.facts, suite) or frozenset()
        by_model = group_by((entry for entry in report.entries if entry.series == suite), lambda entry: entry.model)
        whole = [made for made in by_model.values() if tasks <= {entry.task_id for entry in made}]
        entries = [entry for made in whole for entry in made]
        for published in about.get("published", ()) if entries else ():
            rows += (row for _, row in sorted(_rows(suite, published, entries), key=lambda pair: -pair[0]))
    return filled_table("Published results", _HEADINGS, rows, 5, note=_NOTE)


def _rows(suite: str, published: Mapping[str, Any], entries: list[Entry]) -> Iterator[tuple[float, Row]]:
    """Yield the value of each row, by which rows are sorted, with its cells."""
    metric, tags = published["metric"], published["tags"]
    about = (one_line(suite, 40), one_line(metric, 40), one_line(", ".join(tags.values()), 40))
    source = one_line(published["source"], 100)
    for model, value in published["results"].items():
        yield value, (*about, model_name(model), source, _text(metric, value), "")
    models = compared_models(entry.model for entry in entries)
    made = [entry for entry in entries if entry.model in models and tags.items() <= entry.tags.items()]
    for summary in summaries(Report(entries=tuple(made))):
        told = (*about, model_name(summary.model), THIS_RUN)
        if metric == PASSED:
            yield summary.rate.middle or 0.0, (*told, summary.rate.bounds_text, number_formats.count(summary.attempts))
        elif (aggregate := summary.metrics.get(metric)) is not None:
            value = aggregate.micro if metric in HEADLINE_IS_MICRO else aggregate.macro
            yield value or 0.0, (*told, _text(metric, value), number_formats.count(aggregate.n))


def _text(metric: str, value: float | None) -> str:
    return number_formats.percent(value) if metric == PASSED else number_formats.score(value)
