"""Report for the terminal at the end of a run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.display_text import one_line, pad, width
from pytest_mcpbench.reporting.gate import result_lines
from pytest_mcpbench.reporting.table import Table
from pytest_mcpbench.reporting.tables import detail_tables, main_tables

_REASONS_SHOWN = 10
_COLUMNS = 120


def lines(report: Report, *, verbosity: int = 0) -> list[str]:
    """Return the verdicts of gates and the main tables; with ``-v`` the detail tables precede these."""
    verdicts = [line for gate in report.gates for line in result_lines(gate)]
    tables = (detail_tables(report) if verbosity > 0 else ()) + main_tables(report)
    table_lines: list[str] = []
    for table in tables:
        table_lines += [*([""] if table_lines else []), *render_table(table)]
    return [*verdicts, *([""] if verdicts and table_lines else []), *table_lines, *_unscored_reasons(report)]


def _unscored_reasons(report: Report) -> Iterator[str]:
    """Yield each reason for a missing verdict with its number of attempts, the most frequent first."""
    reasons = Counter(entry.why_unscored for entry in report.entries if entry.outcome == "unscored")
    if reasons:
        yield ""
        yield "Unscored:"
    for reason, count in reasons.most_common(_REASONS_SHOWN):
        yield from wrap(f"{count} × {one_line(reason, 1000)}", _COLUMNS, subsequent_indent="    ")
    if len(reasons) > _REASONS_SHOWN:
        yield f"… and {len(reasons) - _REASONS_SHOWN} more reasons"


def render_table(table: Table) -> list[str]:
    """Return title, rows and note of a table; text cells that repeat the row above are left blank."""
    rows = [table.headings, *_without_repetition(table)]
    widths = [max(width(row[column]) for row in rows) for column in range(len(table.headings))]
    body = ["  ".join(_cells(row, widths, table.words)).rstrip() for row in rows]
    return [f"{table.title}:", *body, *([f"({table.note})"] if table.note else [])]


def _cells(row: Sequence[str], widths: Sequence[int], words: int) -> Iterator[str]:
    for index, (cell, columns) in enumerate(zip(row, widths, strict=True)):
        yield pad(cell, columns, to_the_left=index < words)


def _without_repetition(table: Table) -> Iterator[tuple[str, ...]]:
    """Yield the rows with leading text cells blanked that equal those of the row above."""
    above: tuple[str, ...] = ()
    for row in table.rows:
        same = 0
        while same < min(table.words - 1, len(above)) and row[same] == above[same]:
            same += 1
        yield ("",) * same + row[same:]
        above = row
