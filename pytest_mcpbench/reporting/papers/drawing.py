"""Charts of grids: the rows are categories, axes or places, the columns are series."""

import re
from collections.abc import Sequence

from pytest_mcpbench.reporting.aggregates.measures import MeasuredNumber
from pytest_mcpbench.reporting.charts.axis import Axis, number_axis, percent_axis
from pytest_mcpbench.reporting.charts.bars import bar_chart, stacked_bars
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.lines import Curve, CurvePoint, line_chart
from pytest_mcpbench.reporting.charts.radar import Series, radar_chart
from pytest_mcpbench.reporting.charts.scatter import ScatterPoint, scatter_plot
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.tables.grid import Cell, Grid, GridRow

_SHARES = (number_formats.hundredths, number_formats.score, number_formats.four_decimals)
"""Formats of numbers from 0 to 1."""
_NUMBER = re.compile(r"\d+(\.\d+)?")


def bars(grid: Grid) -> tuple[Figure, ...]:
    """Return bars of each column for each row."""
    return (bar_chart(grid.title, _names(grid), _columns(grid), axis=_axis(grid), note=_note(grid)),)


def radar(grid: Grid) -> tuple[Figure, ...]:
    """Return a polygon for each column with an axis for each row."""
    return (radar_chart(grid.title, _names(grid), _columns(grid), axis=_axis(grid), note=_note(grid)),)


def lines(grid: Grid) -> tuple[Figure, ...]:
    """Return a curve for each column over the numbers in the labels of the rows; rows without one are left out."""
    places = [(float(found.group()), row) for row in grid.rows if (found := _NUMBER.search(row.labels[0]))]
    places.sort(key=lambda place: place[0])
    curves: list[Curve] = []
    for index, column in enumerate(grid.columns):
        cells = [(x, row.cells[index]) for x, row in places]
        points = (
            CurvePoint(x, _value(cell), n=cell.n if isinstance(cell, MeasuredNumber) else None) for x, cell in cells
        )
        curves.append(Curve(column.name, tuple(points)))
    return (line_chart(grid.title, curves, x=number_axis(grid.stubs[0], low=None), y=_axis(grid), note=_note(grid)),)


def parts_of_rows(grid: Grid) -> tuple[Figure, ...]:
    """Return a divided bar for each first label of rows; the parts are the second labels, summed over the columns."""
    parts = list(dict.fromkeys(row.labels[1] for row in grid.rows))
    counts: dict[str, dict[str, float]] = {}
    for row in grid.rows:
        counts.setdefault(row.labels[0], {})[row.labels[1]] = sum(_value(cell) or 0.0 for cell in row.cells)
    rows = [Series(name, tuple(count.get(part) for part in parts)) for name, count in counts.items()]
    return (stacked_bars(grid.title, parts, rows, note=_note(grid)),)


def parts_of_columns(grid: Grid) -> tuple[Figure, ...]:
    """Return a divided bar for each column; the parts are the rows, whose shares are counted again."""
    rows = [
        Series(column.name, tuple(_count(row.cells[index]) for row in grid.rows))
        for index, column in enumerate(grid.columns)
    ]
    return (stacked_bars(grid.title, _names(grid), rows, note=_note(grid)),)


def scatter(grid: Grid) -> tuple[Figure, ...]:
    """Return a chart of the last column against each other column, with a point for each row."""
    last = len(grid.columns) - 1
    return tuple(
        scatter_plot(
            f"{grid.columns[last].name} against {column.name.lower()}",
            [_scatter_point(row, index, last) for row in grid.rows],
            x=number_axis(column.name),
            y=percent_axis(grid.columns[last].name),
            note=_note(grid),
        )
        for index, column in enumerate(grid.columns[:last])
    )


def _scatter_point(row: GridRow, x: int, y: int) -> ScatterPoint:
    value = row.cells[y]
    n = value.n if isinstance(value, MeasuredNumber) else None
    return ScatterPoint(" · ".join(row.labels), _value(row.cells[x]), _value(value), n=n)


def _names(grid: Grid) -> list[str]:
    return [" · ".join(row.labels) for row in grid.rows]


def _columns(grid: Grid) -> list[Series]:
    return [
        Series(column.name, tuple(_value(row.cells[index]) for row in grid.rows))
        for index, column in enumerate(grid.columns)
    ]


def _axis(grid: Grid) -> Axis:
    are_shares = all(number.form in _SHARES for number in grid.numbers)
    return percent_axis(grid.title) if are_shares else number_axis(grid.title)


def _value(cell: Cell) -> float | None:
    return cell.middle if isinstance(cell, MeasuredNumber) else None


def _count(cell: Cell) -> float | None:
    value = _value(cell)
    return None if value is None or isinstance(cell, str) else round(value * cell.n)


def _note(grid: Grid) -> str:
    notes: Sequence[str] = grid.all_notes
    return "; ".join(notes)
