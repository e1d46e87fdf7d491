"""The tables that end a run in the terminal."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.tables import Table, detail_tables, main_tables
from pytest_mcpbench.reporting.text import padded, width


def lines(report: Report, *, verbosity: int = 0) -> list[str]:
    """Results and metrics; with ``-v`` before them also by tag, what went wrong, and tools."""
    tables = (detail_tables(report) if verbosity > 0 else ()) + main_tables(report)
    shown: list[str] = []
    for table in tables:
        shown += [*([""] if shown else []), *drawn(table)]
    return shown


def drawn(table: Table) -> list[str]:
    """Title, columns as wide as their widest cell, note. A word that repeats the row above is left out."""
    rows = [table.headings, *_without_repetition(table)]
    widths = [max(width(row[column]) for row in rows) for column in range(len(table.headings))]
    body = ["  ".join(_cells(row, widths, table.words)).rstrip() for row in rows]
    return [f"{table.title}:", *body, *([f"({table.note})"] if table.note else [])]


def _cells(row: Sequence[str], widths: Sequence[int], words: int) -> Iterator[str]:
    for index, (cell, columns) in enumerate(zip(row, widths, strict=True)):
        yield padded(cell, columns, to_the_left=index < words)


def _without_repetition(table: Table) -> Iterator[tuple[str, ...]]:
    """The rows, where cells of words equal to those above, from the left, are blank."""
    above: tuple[str, ...] = ()
    for row in table.rows:
        same = 0
        while same < min(table.words - 1, len(above)) and row[same] == above[same]:
            same += 1
        yield ("",) * same + row[same:]
        above = row
