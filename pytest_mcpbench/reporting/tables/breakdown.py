"""Tables of any metrics by the values of any tags, with the models as columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.reporting.aggregates.measures import MEASURES, PASSED, Measure, MeasuredNumber, named_measure
from pytest_mcpbench.reporting.aggregates.summary import metric_names
from pytest_mcpbench.reporting.tables.grid import Grid, GridColumn, GridRow, as_table
from pytest_mcpbench.reporting.tables.table import Table
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key, natural_keys

NO_TAG = "(none)"
"""Row of the tasks that lack a tag."""
ALL = "all"


@dataclass(frozen=True)
class Breakdown:
    """Content of a table: metrics, and the tags by which the attempts are grouped."""

    tags: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """Names of metrics or of :data:`~pytest_mcpbench.reporting.aggregates.measures.MEASURES`; empty: the pass rate and
    the metrics with a floor."""

    @property
    def title(self) -> str:
        """Return the title of its tables."""
        names = ", ".join(self.metrics) or "Metrics"
        return f"{names} by {', '.join(self.tags)}" if self.tags else names


@dataclass(frozen=True)
class SuiteGrid:
    """Table of one suite."""

    suite: str
    grid: Grid


def suite_grids(report: Report, breakdown: Breakdown) -> tuple[SuiteGrid, ...]:
    """Return a table for each suite that has one of the tags."""
    by_suite = group_by(report.entries, lambda entry: entry.series)
    tags = breakdown.tags
    grids: list[SuiteGrid] = []
    for suite in sorted(by_suite, key=natural_key):
        entries = by_suite[suite]
        if tags and not any(tag in entry.tags for entry in entries for tag in tags):
            continue
        usual = (PASSED.name, *dict.fromkeys(name for entry in entries for name in entry.floors))
        measures = [named_measure(name) for name in breakdown.metrics or usual]
        models = sorted({entry.model for entry in entries}, key=natural_key)
        rows: list[GridRow] = []
        if tags:
            by_value = group_by(entries, lambda entry: tuple(entry.tags.get(tag, NO_TAG) for tag in tags))
            rows = [_row(value, by_value[value], measures, models) for value in sorted(by_value, key=natural_keys)]
        rows.append(_row((ALL, *[""] * (len(tags) - 1)), entries, measures, models))
        columns = tuple(GridColumn(model, measure.name) for measure in measures for model in models)
        grids.append(SuiteGrid(suite, Grid(breakdown.title, tags or ("",), columns, tuple(rows))))
    return tuple(grids)


def requested_breakdowns(facts: Mapping[str, Any]) -> tuple[Breakdown, ...]:
    """Return the tables that the settings of a run ask for (``--mcpbench-by``, ``--mcpbench-by-metric``)."""
    settings = read_settings(facts)
    metrics = tuple(name for text in settings.get("by_metrics", ()) for name in split_names(text))
    return tuple(Breakdown(split_names(tags), metrics) for tags in settings.get("by", ()))


def split_names(text: str) -> tuple[str, ...]:
    """Return the names in ``a,b``."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def metrics_of_measures(texts: Iterable[str]) -> Iterator[str]:
    """Yield the metrics among names such as ``ast:micro,passed``, without what follows a colon."""
    for name in (name for text in texts for name in split_names(text)):
        if name not in MEASURES:
            yield name.removesuffix(":micro").removesuffix(":macro")


def requested_tables(report: Report) -> Iterator[Table]:
    """Yield the tables that the settings of a run ask for, of all suites."""
    for breakdown in requested_breakdowns(report.facts):
        for each in suite_grids(report, breakdown):
            table = as_table(each.grid)
            yield Table(f"{each.suite}: {table.title}", table.headings, table.rows, table.words, table.note)


def unknown_names(report: Report, breakdown: Breakdown) -> Iterator[str]:
    """Yield a sentence for each tag and metric that no attempt has."""
    tags = {tag for entry in report.entries for tag in entry.tags}
    metrics = {*MEASURES, *metric_names(report.entries)}
    for tag in breakdown.tags:
        if tag not in tags:
            yield f"no attempt has the tag {tag!r}; there are: {', '.join(sorted(tags, key=natural_key)) or 'none'}."
    for name in breakdown.metrics:
        if name not in metrics and name.removesuffix(":micro").removesuffix(":macro") not in metrics:
            yield f"no attempt has the metric {name!r}; there are: {', '.join(sorted(metrics, key=natural_key))}."


def json_content(report: Report, breakdown: Breakdown) -> dict[str, Any]:
    """Return ``{by, cells: [{suite, tags, metric, model, value, low, high, n, …}]}``."""
    cells = [cell for each in suite_grids(report, breakdown) for cell in _json_cells(each, breakdown)]
    return {"by": breakdown.tags, "cells": cells}


def _row(
    labels: tuple[str, ...], entries: Sequence[Entry], measures: Sequence[Measure], models: Sequence[str]
) -> GridRow:
    by_model = group_by(entries, lambda entry: entry.model)
    return GridRow(labels, tuple(measure.of(by_model.get(model, [])) for measure in measures for model in models))


def _json_cells(each: SuiteGrid, breakdown: Breakdown) -> Iterator[dict[str, Any]]:
    for row in each.grid.rows:
        is_all = not breakdown.tags or row is each.grid.rows[-1]
        tags = {} if is_all else dict(zip(breakdown.tags, row.labels, strict=True))
        for column, cell in zip(each.grid.columns, row.cells, strict=True):
            if isinstance(cell, MeasuredNumber):
                place = {"suite": each.suite, "tags": tags, "metric": column.group, "model": column.heading}
                interval = cell.interval
                counts = {"n": cell.n, "tasks": cell.tasks, "errors": cell.errors, "unscored": cell.unscored}
                ends = {"low": interval.low if interval else None, "high": interval.high if interval else None}
                yield {
                    **place,
                    "value": cell.value,
                    "bounds": cell.bounds,
                    **ends,
                    **counts,
                    "reason": cell.reason or None,
                }
