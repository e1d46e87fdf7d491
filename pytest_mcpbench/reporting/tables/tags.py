"""Tables of pass rates and metrics by the values of a tag."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.variant import model_of
from pytest_mcpbench.reporting.aggregates import measures
from pytest_mcpbench.reporting.aggregates.measures import metric
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.grid import PLAIN
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

_FIRST_TAGS = ("difficulty", "scenario", "domain", "category")
"""Tags whose tables come first."""
_MOST_VALUES_OF_A_TAG = 20


def tag_table(report: Report, tag: str) -> Table:
    """Return the table of pass rates and of the metrics with a floor for each value of a tag."""
    tagged = [entry for entry in report.entries if tag in entry.tags]
    metrics = tuple(dict.fromkeys(name for entry in tagged for name in entry.floors))
    groups = group_by(tagged, lambda entry: (entry.tags[tag], entry.series, entry.model))
    rows: list[tuple[str, ...]] = []
    for value, suite, model in sorted(groups, key=lambda key: tuple(map(natural_key, key))):
        entries = groups[value, suite, model]
        outcomes = Counter(entry.outcome for entry in entries)
        counts = (len(entries), outcomes["error"], outcomes["unscored"])
        rate = PassRate.of(entries)
        # Averaged as publications do; the mean of a metric that no attempt has is left empty.
        has_metric = [any(name in entry.scores for entry in entries) for name in metrics]
        means = [
            number_formats.score(metric(name).of(entries).value) if is_there else ""
            for name, is_there in zip(metrics, has_metric, strict=True)
        ]
        rows.append(
            (
                one_line(value, 60),
                suite,
                model_name(model),
                *map(number_formats.count, counts),
                rate.text,
                number_formats.percent_interval(rate.interval),
                *means,
            )
        )
    headings = (one_line(tag, 40), "suite", "model", "n", "errors", "unscored", "pass rate", "95 % interval")
    named = (*headings, *(one_line(name, 40) for name in metrics))
    return filled_table(f"By {one_line(tag, 40)}", named, rows, 3, ("errors", "unscored"))


def tags_with_table(report: Report) -> tuple[str, ...]:
    """Return the tags that get a table: those with 2 to 20 values, the usual ones first."""
    values = _values_of_tags(report)
    return tuple(tag for tag in all_tags(report) if 1 < len(values[tag]) <= _MOST_VALUES_OF_A_TAG)


def all_tags(report: Report) -> tuple[str, ...]:
    """Return every tag, the usual ones first."""
    values = _values_of_tags(report)
    return (*(tag for tag in _FIRST_TAGS if tag in values), *(tag for tag in values if tag not in _FIRST_TAGS))


def _values_of_tags(report: Report) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for entry in report.entries:
        for tag, value in entry.tags.items():
            values.setdefault(tag, set()).add(value)
    return values


# Tables of a sweep: one column for each value of the swept condition.


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
        if any(number.extent for number in numbers):
            cells = (PLAIN.text(number) for number in numbers)
            yield (*start, one_line(measure.name, 40), *cells)


def _label_without(entry: Entry, condition: str) -> str:
    """Return the model with the values of all swept conditions but one."""
    others = [f"{name}:{value}" for name, value in entry.swept.items() if name != condition]
    return " ".join([model_of(entry.model, entry.swept), *others])
