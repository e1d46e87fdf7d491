"""pytest-html's report with models, scores and trajectories in it."""

import html
from typing import Any

import pytest

from pytest_mcpbench.plugin.recording import Recorder

_FIRST_COLUMN = 2
"""Behind result and test id."""


class Html:
    """Implements the hooks of pytest-html; registered only where that plugin is."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._data: Any = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        self._data = report

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: Any, data: list[str]) -> None:
        """Put the trajectory above the log that opens with the row."""
        if getattr(report, "mcpbench", None) is None or report.when == "teardown":
            return
        from pytest_mcpbench.reporting import html as pages
        from pytest_mcpbench.runtime.records import read_record

        entry = self._recorder.entry(report)
        if entry.record is not None:
            data.insert(0, pages.run(read_record(self._recorder.directory, entry.record)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Fill in the columns, now that all metrics are known, and write the tables above them."""
        if not self._recorder.has_entries:
            return
        from pytest_mcpbench.reporting import html as pages

        report = self._recorder.report()
        prefix.append(pages.summary(report))
        columns = pages.columns(report)
        header = self._data.table_header
        header[_FIRST_COLUMN:_FIRST_COLUMN] = [_heading(name) for name in columns]
        cells = {entry.node_id: pages.cells(entry, columns) for entry in report.entries}
        for node_id, rows in self._data.data["tests"].items():
            for row in rows:
                _fill(row, columns, cells.get(node_id, ("",) * len(columns)))


def _heading(name: str) -> str:
    return f'<th class="sortable" data-column-type="{_key(name)}">{html.escape(name)}</th>'


def _fill(row: dict[str, Any], columns: tuple[str, ...], cells: tuple[str, ...]) -> None:
    """Add a row's cells, and the plain values that the page sorts by."""
    row.update({_key(name): cell for name, cell in zip(columns, cells, strict=True)})
    made = [f'<td class="col-{_key(name)}">{html.escape(cell)}</td>' for name, cell in zip(columns, cells, strict=True)]
    row["resultsTableRow"][_FIRST_COLUMN:_FIRST_COLUMN] = made


def _key(name: str) -> str:
    return "mcpbench" + "".join(character for character in name if character.isalnum())
