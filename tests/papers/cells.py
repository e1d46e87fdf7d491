"""The cells of a table as the command writes them as CSV."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main

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


def assert_cells(cells: Cells, expected: Mapping[Any, float | None]) -> None:
    """Assert that the table has exactly these cells with these values."""
    assert cells.keys() == expected.keys()
    wrong = {
        place: (found, wanted)
        for place, wanted in expected.items()
        if (found := number(cells, *place)) != wanted
        and (found is None or wanted is None or abs(found - wanted) > 1e-12)
    }
    assert not wrong
