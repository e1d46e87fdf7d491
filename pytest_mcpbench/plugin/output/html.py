"""Models, scores and trajectories in the report of pytest-html.

pytest-html calls its hooks for the cells of a row when the row is reported, before all metrics are known. So this
module edits the data that pytest-html keeps for the page: ``ReportData.data``, ``table_header`` and ``outcomes``.
"""

import html
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.output.recorder import Recorder

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry, Report
    from pytest_mcpbench.reporting.html import Cell

_NO_LOG = "No log output captured."
_FIRST_COLUMN = 2
"""Number of the first column of ours; those of result and test id precede it."""


class HtmlReport:
    """Implementation of pytest-html's hooks; without pytest-html nobody calls them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._data: Any = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        self._data = report

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Add columns and trajectories once all attempts are known: the space for each depends on their number."""
        if not self._recorder.has_entries:
            return
        from pytest_mcpbench.reporting import html as pages

        report = self._recorder.report()
        prefix.append(pages.summary(report))
        if self._data.data["renderCollapsed"] == ["passed"]:
            # Only the default is changed: it opens all failures, which can be hundreds of trajectories.
            self._data.set_data("renderCollapsed", ["all"])
        columns = pages.columns(report)
        keys = [f"mcpbench{index}" for index in range(len(columns))]
        self._data.table_header[_FIRST_COLUMN:_FIRST_COLUMN] = map(_heading, keys, columns)
        if any(entry.outcome == "unscored" for entry in report.entries):
            self._data.outcomes["skipped"]["label"] = "Skipped or unscored"
        entries = {entry.node_id: entry for entry in report.entries}
        for node_id, rows in self._data.data["tests"].items():
            entry = entries.get(node_id)
            cells = pages.cells(entry, columns) if entry else pages.empty_cells(columns)
            for row in rows:
                _fill(row, keys, cells)
            if entry and rows:
                self._add_trajectory(rows[-1], entry, report)

    def _add_trajectory(self, row: dict[str, Any], entry: "Entry", report: "Report") -> None:
        """Show the attempt above the log, which opens with the row."""
        from pytest_mcpbench.reporting import html as pages
        from pytest_mcpbench.runtime.records import read_record

        if entry.record is None:
            return
        content = pages.attempt_details(
            read_record(self._recorder.directory, entry.record), pages.budget(len(report.entries))
        )
        # Not into the log: pytest-html rewrites lines of it that begin with an E, and cuts its height.
        row["extras"] = [*row["extras"], {"name": "mcpbench", "format_type": "html", "content": content}]
        row["log"] = "" if row["log"] == _NO_LOG else row["log"]
        if entry.outcome == "unscored":
            row["resultsTableRow"][0] = '<td class="col-result">Unscored</td>'
        row["resultsTableRow"][1] = f'<td class="col-testId">{html.escape(entry.node_id)}</td>'


def _heading(key: str, name: str) -> str:
    return f'<th class="sortable" data-column-type="{key}">{html.escape(name)}</th>'


def _fill(row: dict[str, Any], keys: list[str], cells: "tuple[Cell, ...]") -> None:
    """Add the cells of a row, and the values that the page sorts by."""
    row.update({key: cell.order for key, cell in zip(keys, cells, strict=True)})
    html_cells = [f'<td class="col-{key}">{html.escape(cell.text)}</td>' for key, cell in zip(keys, cells, strict=True)]
    row["resultsTableRow"][_FIRST_COLUMN:_FIRST_COLUMN] = html_cells
