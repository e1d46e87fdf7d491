"""Markup that sections share: grids of figures, folded parts, and tables without the column that a tab names."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.tables.section import plain, sentence, table_markup
from pytest_mcpbench.reporting.tables.table import Table, without_cell


def figure_grid(figures: Iterable[Figure], place: str) -> Markup:
    """Return figures side by side, as many in a row as the width allows; ``place`` is the id of their section."""
    shown = list(figures)
    made = (figure.html(place, is_alone=len(shown) == 1) for figure in shown)
    return Markup('<div class="figures">{}</div>').format(Markup().join(made))


def folded(title: str, body: Markup, *, is_open: bool = False) -> Markup:
    """Return a part that a click on its title shows; an empty part is left out."""
    if not body:
        return Markup()
    return Markup("<details class=fold{}><summary>{}</summary>{}</details>").format(
        Markup(" open") if is_open else "", plain(title), body
    )


def tables_markup(tables: Sequence[Table]) -> Markup:
    """Return the tables that have rows."""
    return Markup().join(table_markup(without_suite(table)) for table in tables if table.rows)


def folded_tables(tables: Sequence[Table]) -> Markup:
    """Return each table that has rows, folded under its title."""
    return Markup().join(folded(table.title, table_markup(without_suite(table))) for table in tables if table.rows)


def without_suite(table: Table) -> Table:
    """Return the table without the column of the suite, which the tab or the section names."""
    if (
        "suite" not in table.headings[: table.words]
        or len({row[table.headings.index("suite")] for row in table.rows}) > 1
    ):
        return table
    index = table.headings.index("suite")
    return Table(
        table.title,
        without_cell(table.headings, index),
        tuple(without_cell(row, index) for row in table.rows),
        table.words - 1,
        table.note,
    )


def paragraph(text: str, kind: str = "") -> Markup:
    """Return a paragraph of plain text."""
    return Markup("<p{}>{}</p>").format(Markup(' class="{}"').format(kind) if kind else "", sentence(text))
