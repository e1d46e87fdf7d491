"""Columns and summary for the report of pytest-html, which links to the page with the attempts.

pytest-html keeps the rows as JSON in an attribute, where each quotation mark takes five characters and each cell needs
its markup and its sort key. So a report with many rows has few columns: the page has the scores of each attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

from markupsafe import Markup

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.summary import metric_names
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line, visible
from pytest_mcpbench.reporting.page.attempt_index import outcome_reason
from pytest_mcpbench.reporting.tables.report_tables import main_tables
from pytest_mcpbench.reporting.tables.section import plain, table_markup
from pytest_mcpbench.reporting.texts.gate import headline

# Addresses of attempts in the page, which stay the same from run to run: ``#radar/email-002/claude/2``.

_UNESCAPED = "-_.!~*'()"
"""Characters that ``encodeURIComponent`` of JavaScript leaves as they are."""


def attempt_address(entry: Entry) -> str:
    """Return the address of an attempt within the page: suite, task, model and trial."""
    names = (entry.series, entry.task_id, entry.model, str(entry.trial))
    return "#" + "/".join(quote(visible(name), safe=_UNESCAPED) for name in names)


def file_address(path: PurePath) -> str:
    """Return the address of a file relative to the page that links to it."""
    return quote(path.as_posix()) if not path.is_absolute() else path.as_uri()


_STYLE = """
.mcpbench{text-align:left;overflow-wrap:anywhere;color:black}
.mcpbench a{color:inherit}
.mcpbench figure{margin:.8em 0;overflow-x:auto}
.mcpbench table{border-collapse:collapse;color:inherit;font-size:inherit}
.mcpbench caption{text-align:left;font-weight:bold}
.mcpbench th,.mcpbench td{padding:.2em .7em;border-bottom:1px solid #999;text-align:right;vertical-align:top}
.mcpbench .words{text-align:left}
.logwrapper:not(:has(.log)){display:none}
"""

MOST_ROWS_WITH_METRICS = 500
"""A report with more rows has no columns of metrics."""
_REASON_CHARACTERS = 120


@dataclass(frozen=True)
class Cell:
    """Cell of the list of tests."""

    text: str
    order: float | str
    """Sort key; a column has either only numbers or only text."""


def columns(report: Report) -> tuple[str, ...]:
    """Return the headings between test id and duration: model, metrics of a small report, cost of any, reason."""
    metrics = metric_names(report.entries) if _has_metrics(report) else ()
    is_free = all(entry.usage.cost_usd == 0 for entry in report.entries)
    return ("model", *metrics, *(() if is_free else ("cost",)), "reason")


def cells(entry: Entry, headings: Sequence[str]) -> tuple[Cell, ...]:
    """Return the cells of one attempt under these headings."""
    cost, reason = entry.usage.cost_usd, one_line(outcome_reason(entry), _REASON_CHARACTERS)
    named = {
        "model": Cell(one_line(entry.model, 80), entry.model),
        "cost": Cell(number_formats.money(cost), -1.0 if cost is None else cost),
        "reason": Cell(reason, reason),
    }
    return tuple(named.get(heading) or _score_cell(entry, heading) for heading in headings)


def empty_cells(headings: Sequence[str]) -> tuple[Cell, ...]:
    """Return empty cells for the row of a test that is not a benchmark task."""
    return tuple(Cell("", "") if heading in ("model", "reason") else Cell("", -2.0) for heading in headings)


def summary(report: Report, page: PurePath) -> Markup:
    """Return the verdicts and main tables above the list of tests, with a link to the page with the attempts."""
    verdicts = (Markup("<p><strong>{}</strong></p>").format(plain(headline(gate))) for gate in report.gates)
    without_metrics = f" The list has no columns of metrics, because it has more than {MOST_ROWS_WITH_METRICS} rows."
    return Markup(
        '<style>{}</style><div class="mcpbench"><h2>mcpbench</h2>'
        '<p><a href="{}">Attempts with their conversations and scores, and all tables</a>.{}</p>{}{}</div>'
    ).format(
        Markup(_STYLE),
        file_address(page),
        "" if _has_metrics(report) else without_metrics,
        Markup().join(verdicts),
        Markup().join(map(table_markup, main_tables(report))),
    )


def attempt_link(entry: Entry, page: PurePath) -> Markup:
    """Return a link to an attempt in the page."""
    return Markup('<a href="{}">attempt</a>').format(file_address(page) + attempt_address(entry))


def _has_metrics(report: Report) -> bool:
    return len(report.entries) <= MOST_ROWS_WITH_METRICS


def _score_cell(entry: Entry, metric: str) -> Cell:
    value = entry.scores.get(metric)
    if value is not None:
        return Cell(f"{value:.3f}", value)
    if metric not in entry.scores:
        return Cell("error" if entry.outcome == "error" else "", -2.0)
    return Cell("n/a" if metric in entry.not_applicable else "unscored", -1.0)
