"""Models, scores and reasons in the report of pytest-html, with links to the page of the attempts.

pytest-html calls its hooks for the cells of a row when the row is reported, before all metrics are known. So this
module edits the data that pytest-html keeps for the page: ``ReportData.data``, ``table_header`` and ``outcomes``.
"""

import html
import os
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.output.page import PageFile
from pytest_mcpbench.plugin.output.recorder import Recorder

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry
    from pytest_mcpbench.reporting.pytest_html import Cell

_CAPTURED = re.compile(r"^-+ Captured .* -+$", re.MULTILINE)
"""Line of pytest-html above output that pytest captured."""
_FIRST_COLUMN = 2
"""Number of the first column of ours; those of result and test id precede it."""


class HtmlReport:
    """Implementation of pytest-html's hooks; without pytest-html nobody calls them."""

    def __init__(self, config: pytest.Config, recorder: Recorder, page: PageFile) -> None:
        self._config = config
        self._recorder = recorder
        self._page = page
        self._data: Any = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        self._data = report

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Add the summary and the columns once all attempts, and so all metrics, are known."""
        page = self._page.path_from(Path(os.path.expandvars(self._config.getoption("htmlpath"))).expanduser().parent)
        if not self._recorder.has_entries or page is None:
            return
        from pytest_mcpbench.reporting import pytest_html

        report = self._recorder.report()
        prefix.append(pytest_html.summary(report, page))
        if self._data.data["renderCollapsed"] == ["passed"]:
            # Only the default is changed: it opens all failures, which can be hundreds of rows.
            self._data.set_data("renderCollapsed", ["all"])
        columns = pytest_html.columns(report)
        keys = [f"mcpbench{index}" for index in range(len(columns))]
        self._data.table_header[_FIRST_COLUMN:_FIRST_COLUMN] = map(_heading, keys, columns)
        if any(entry.outcome == "unscored" for entry in report.entries):
            self._data.outcomes["skipped"]["label"] = "Skipped or unscored"
        entries = {entry.node_id: entry for entry in report.entries}
        for node_id, rows in self._data.data["tests"].items():
            entry = entries.get(node_id)
            cells = pytest_html.cells(entry, columns) if entry else pytest_html.empty_cells(columns)
            for row in rows:
                _fill(row, keys, cells)
            if entry and rows:
                _link(rows[-1], entry, page)


def _link(row: dict[str, Any], entry: "Entry", page: PurePath) -> None:
    """Link the row to its attempt; the message of a failing task is in the page, so that the log has only output."""
    from pytest_mcpbench.reporting.pytest_html import attempt_link

    row["extras"] = [
        *row["extras"],
        {"name": "mcpbench", "format_type": "html", "content": attempt_link(entry, page)},
    ]
    if entry.test is None:
        captured = _CAPTURED.search(row["log"])
        row["log"] = row["log"][captured.start() :] if captured else ""
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
