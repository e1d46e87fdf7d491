"""Tables of pass rates and metrics by the values of a tag."""

from collections.abc import Sequence

from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.statistics.intervals import pass_rate_interval
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.cells import model_name
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.measures import metric
from pytest_mcpbench.reporting.summary import verdicts
from pytest_mcpbench.reporting.table import Table, filled_table

_FIRST_TAGS = ("difficulty", "scenario", "domain", "category")
"""Tags whose tables come first."""
_MOST_VALUES_OF_A_TAG = 20


def tag_table(report: Report, tag: str) -> Table:
    """Return the table of pass rates and of the metrics with a floor for each value of a tag."""
    tagged = [entry for entry in report.entries if tag in entry.tags]
    metrics = tuple(dict.fromkeys(name for entry in tagged for name in entry.floors))
    groups = group_by(tagged, lambda entry: (entry.tags[tag], entry.series, entry.model))
    rows = [
        (*_row(*key, groups[key]), *(_average(name, groups[key]) for name in metrics))
        for key in sorted(groups, key=lambda key: tuple(map(natural_key, key)))
    ]
    headings = (one_line(tag, 40), "suite", "model", "n", "errors", "unscored", "pass rate", "95 % interval")
    named = (*headings, *(one_line(name, 40) for name in metrics))
    return filled_table(f"By {one_line(tag, 40)}", named, rows, 3, ("errors", "unscored"))


def _average(name: str, entries: Sequence[Entry]) -> str:
    """Return the average of a metric as publications give it; empty if no attempt has the metric."""
    if not any(name in entry.scores for entry in entries):
        return ""
    return number_formats.score(metric(name).of(entries).value)


def _row(value: str, suite: str, model: str, entries: Sequence[Entry]) -> tuple[str, ...]:
    by_task = verdicts(entries)
    passes = [passed for trials in by_task.values() for passed in trials]
    return (
        one_line(value, 60),
        suite,
        model_name(model),
        number_formats.count(len(entries)),
        *(
            number_formats.count(sum(entry.outcome == outcome for entry in entries))
            for outcome in ("error", "unscored")
        ),
        number_formats.percent(sum(passes) / len(passes) if passes else None),
        number_formats.percent_interval(pass_rate_interval(by_task) if by_task else None),
    )


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
