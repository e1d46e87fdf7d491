"""Tables of failure labels and of errors."""

import re
from collections.abc import Sequence

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.summary import Summary
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name, names
from pytest_mcpbench.text.natural_order import natural_keys

_LONGEST_ERROR = 100
_MOST_ERRORS = 50
_PARTICULARS = re.compile(
    r"(?<!server )(?<!model )(?<!judge )(?<!metric )(?:(?<!\w)'[^']*'|\"[^\"]*\")"
    r"|(?<![^\s'\"])[^\s'\"/]*/[^\s'\"]*|\b(?:gw)?\d[\d.]*"
)
"""Parts in which similar messages differ: quoted text (except the name of the server or model), paths, numbers."""


def failure_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the number of attempts that have each failure label; an attempt may have several."""
    rows = [
        (
            *names(summary),
            taxonomy,
            label,
            number_formats.count(count),
            number_formats.percent(count / summary.completed_attempts),
        )
        for summary in summary_list
        for taxonomy, labels in summary.failures.items()
        for label, count in labels.items()
    ]
    note = "share of the attempts without an error; an attempt may have several labels, even if it passed"
    return filled_table(
        "What went wrong", ("suite", "model", "taxonomy", "label", "attempts", "share"), rows, 4, note=note
    )


def error_table(report: Report) -> Table:
    """Return the table of errors by who must act; messages that differ only in details share a row."""
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for entry in report.entries:
        if entry.outcome == "error":
            message = one_line((entry.error or "").strip().partition("\n")[0])
            key = (entry.series, model_name(entry.model), entry.error_kind or "internal", message_pattern(message))
            groups.setdefault(key, []).append(message)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), natural_keys(pair[0])))
    rows = [
        (
            suite,
            model,
            kind,
            one_line(messages[0] if len(set(messages)) == 1 else pattern, _LONGEST_ERROR),
            number_formats.count(len(messages)),
        )
        for (suite, model, kind, pattern), messages in ranked[:_MOST_ERRORS]
    ]
    return filled_table("Errors", ("suite", "model", "of", "what", "attempts"), rows, 4)


def message_pattern(message: str) -> str:
    """Return a message without the parts in which similar messages differ."""
    return _PARTICULARS.sub("…", message)
