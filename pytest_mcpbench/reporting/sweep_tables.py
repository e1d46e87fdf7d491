"""Tables of a sweep: one column for each value of the swept condition."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.reporting import measures, number_formats
from pytest_mcpbench.reporting.cells import model_name
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.table import Table


@dataclass(frozen=True)
class SweepSeries:
    """Attempts of one suite and model that differ in the value of one swept condition."""

    suite: str
    model: str
    """Model, with the values of the other swept conditions."""
    condition: str
    by_value: dict[str, list[Entry]]
    """Value as the user wrote it -> its attempts, in the order of the option."""


def swept_conditions(report: Report) -> tuple[str, ...]:
    """Return the names of the swept conditions, in the order of the options."""
    return tuple(dict.fromkeys(name for entry in report.entries for name in entry.swept))


def sweep_series(report: Report, condition: str) -> list[SweepSeries]:
    """Return the series of a swept condition."""
    swept = [entry for entry in report.entries if condition in entry.swept]
    groups = group_by(swept, lambda entry: (entry.series, _label_without(entry, condition)))
    return [
        SweepSeries(suite, model, condition, group_by(entries, lambda entry: entry.swept[condition]))
        for (suite, model), entries in groups.items()
    ]


def sweep_tables(report: Report) -> Iterator[Table]:
    """Yield a table for each swept condition: pass rate, metrics with a floor, cost, tokens and time by its values."""
    for condition in swept_conditions(report):
        series = sweep_series(report, condition)
        values = tuple(dict.fromkeys(value for each in series for value in each.by_value))
        rows = [row for each in series for row in _rows(each, values)]
        headings = ("suite", "model", "", *(one_line(f"{condition} {value}", 30) for value in values))
        note = "Each number is over the attempts of its column without those that ended in an error; n counts them."
        yield Table(f"Sweep of {one_line(condition, 30)}", headings, tuple(rows), words=3, note=note)


def sweep_measures(entries: Sequence[Entry]) -> tuple[measures.Measure, ...]:
    """Return the measures that a sweep shows."""
    floors = dict.fromkeys(name for entry in entries for name in entry.floors)
    return (measures.PASSED, *map(measures.metric, floors), measures.TOKENS, measures.COST, measures.SECONDS)


def _rows(series: SweepSeries, values: Sequence[str]) -> Iterator[tuple[str, ...]]:
    every = [entry for entries in series.by_value.values() for entry in entries]
    start = (one_line(series.suite, 40), model_name(series.model))
    groups = [series.by_value.get(value, []) for value in values]
    yield (*start, "n", *(number_formats.count(sum(entry.outcome != "error" for entry in group)) for group in groups))
    for measure in sweep_measures(every):
        numbers = [measure.of(group) for group in groups]
        if any(number.value is not None for number in numbers):
            cells = (number.form(number.value) if number.value is not None else "–" for number in numbers)
            yield (*start, one_line(measure.name, 40), *cells)


def _label_without(entry: Entry, condition: str) -> str:
    """Return the model with the values of all swept conditions but one."""
    others = [f"{name}:{value}" for name, value in entry.swept.items() if name != condition]
    return " ".join([model_of(entry.model, entry.swept), *others])
