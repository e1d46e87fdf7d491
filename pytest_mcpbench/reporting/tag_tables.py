"""Tables of pass rates by the values of a tag."""

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.cells import names
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.summary import by_tag
from pytest_mcpbench.reporting.table import Table, filled_table

_FIRST_TAGS = ("difficulty", "scenario", "domain", "category")
"""Tags whose tables come first."""
_MOST_VALUES_OF_A_TAG = 20


def tag_table(report: Report, tag: str) -> Table:
    """Return the table of pass rates for each value of a tag."""
    rows = [
        (
            one_line(value, 60),
            *names(summary),
            *map(str, (summary.attempts, summary.errors, summary.unscored)),
            number_formats.percent(summary.pass_rate),
            number_formats.percent_interval(summary.pass_interval),
        )
        for value, group in by_tag(report, tag).items()
        for summary in group
    ]
    headings = (one_line(tag, 40), "suite", "model", "n", "errors", "unscored", "pass rate", "95 % interval")
    return filled_table(f"By {one_line(tag, 40)}", headings, rows, 3, ("errors", "unscored"))


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
