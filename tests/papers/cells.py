"""The cells of a table as the command writes them as CSV."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main
from tests.papers.arithmetic import Expected

_AFTER_LABELS = "group"

Cells = dict[tuple[str, ...], dict[str, str]]


def cells_of(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Cells:
    """Run ``mcpbench paper`` and return its cells by their labels, group and column."""
    assert main(["paper", *map(str, arguments), "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    stubs = list(rows[0])[1 : list(rows[0]).index(_AFTER_LABELS)]
    keys = [(*(row[stub] for stub in stubs), row["group"], row["column"]) for row in rows]
    assert len(keys) == len(set(keys)), "two cells have the same place"
    return dict(zip(keys, rows, strict=True))


def number(cells: Cells, *place: str) -> float | None:
    """Return the number of a cell; ``None`` where it has none, and then a reason."""
    cell = cells[place]
    assert cell["value"] or cell["reason"], f"{place} has neither a value nor a reason"
    return float(cell["value"]) if cell["value"] else None


def known(cells: Cells, *place: str) -> Expected:
    """Return the number of a cell, or the bounds that it has in its place."""
    cell, value = cells[place], number(cells, *place)
    if not cell["least"]:
        return value
    least, greatest = float(cell["least"]), float(cell["greatest"])
    assert value == (least if least == greatest else None)
    return (least, greatest) if value is None else value


def assert_cells(cells: Cells, expected: Mapping[Any, Expected]) -> None:
    """Assert that the table has exactly these cells with these values."""
    assert cells.keys() == expected.keys()
    for place, wanted in expected.items():
        assert known(cells, *place) == pytest.approx(wanted, abs=1e-12), place
