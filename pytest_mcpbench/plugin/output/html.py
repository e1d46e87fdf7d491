"""Models, scores and reasons in the report of pytest-html, with links to the page of the attempts.

pytest-html calls its hooks for the cells of a row when the row is reported, before all metrics are known. So this
module edits the data that pytest-html keeps for the page: ``ReportData.data``, ``table_header`` and ``outcomes``.
"""

import html
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.output.report_files import PageFile
from pytest_mcpbench.plugin.output.run_results import RunResults

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry
    from pytest_mcpbench.reporting.page.pytest_html import Cell

_CAPTURED = re.compile(r"^-+ Captured .* -+$", re.MULTILINE)
"""Line of pytest-html above output that pytest captured."""
_QUOTED_WORD = re.compile(r'(<td class=|<a href=)"([\w#%./-]+)"')
_UNUSED_CLASS = re.compile(r' class="col-(?:testId|duration)"')
_LINKS_COLUMN = 1
"""Number of the column with the links, so that no width of the others hides it; pytest-html has it as the last."""
_FIRST_COLUMN = 3
"""Number of the first column of ours; those of result, links and test id precede it."""

Row = dict[str, Any]
"""Row of pytest-html."""


class HtmlReport:
    """Implementation of pytest-html's hooks; without pytest-html nobody calls them."""

    def __init__(self, config: pytest.Config, results: RunResults, page: PageFile) -> None:
        self._config = config
        self._results = results
        self._page = page
        self._data: Any = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        self._data = report

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Add the summary and the columns once all attempts, and so all metrics, are known."""
        page = self._page.path_from(Path(os.path.expandvars(self._config.getoption("htmlpath"))).expanduser().parent)
        if not self._results.exist or page is None:
            return
        with self._results.writing("the columns of pytest-html's report"):
            from pytest_mcpbench.reporting.page import pytest_html

            report = self._results.report()
            prefix.append(pytest_html.summary(report, page))
            if self._data.data["renderCollapsed"] == ["passed"]:
                # Only the default is changed: it opens all failures, which can be hundreds of rows.
                self._data.set_data("renderCollapsed", ["all"])
            columns = pytest_html.columns(report)
            keys = [f"m{index}" for index in range(len(columns))]
            _move_links(self._data.table_header)
            self._data.table_header[_FIRST_COLUMN:_FIRST_COLUMN] = map(_heading, keys, columns)
            if any(entry.outcome == "unscored" for entry in report.entries):
                self._data.outcomes["skipped"]["label"] = "Skipped or unscored"
            self._edit_rows({entry.node_id: entry for entry in report.entries}, columns, keys, page)

    def _edit_rows(
        self, entries: "Mapping[str, Entry]", columns: Sequence[str], keys: Sequence[str], page: PurePath
    ) -> None:
        from pytest_mcpbench.reporting.page import pytest_html
        from pytest_mcpbench.text.natural_order import natural_key

        tests = self._data.data["tests"]
        every_row: list[Row] = []
        every_cells = []
        for node_id, rows in tests.items():
            entry = entries.get(node_id)
            for row in rows:
                # pytest-html reads it from the row's cell, where a name with a line break is not found.
                row.setdefault("testId", node_id)
            if entry and rows:
                _describe(rows[-1], entry, pytest_html.attempt_link(entry, page))
            every_row += rows
            every_cells += [pytest_html.cells(entry, columns) if entry else pytest_html.empty_cells(columns)] * len(
                rows
            )
        for row, cells in zip(every_row, every_cells, strict=True):
            _fill(row, cells)
        for key, column in zip(keys, zip(*every_cells, strict=True), strict=True):
            _add_ranks(every_row, key, [cell.order for cell in column])
        _add_ranks(every_row, "testId", [natural_key(row["testId"]) for row in every_row])
        # The script of pytest-html reads the rows of all keys in order. Their keys are a tenth of a large file; one is
        # left, so that programs that merge such files can tell them apart.
        first = next(iter(tests))
        tests.clear()
        tests[first] = every_row


def _describe(row: Row, entry: "Entry", link: str) -> None:
    """Link the row to its attempt; the message of a failing task is in the page, so that the log has only output."""
    if entry.test is None:
        captured = _CAPTURED.search(row["log"])
        row["log"] = row["log"][captured.start() :] if captured else ""
    cells = row["resultsTableRow"]
    if entry.outcome == "unscored":
        cells[0] = '<td class="col-result">Unscored</td>'
    cells[1] = f'<td class="col-testId">{html.escape(entry.node_id)}</td>'
    cells[-1] = cells[-1].replace("</td>", f"{link}</td>")


def _move_links(cells: list[str]) -> None:
    """Move the last of pytest-html's columns, that of the links, to the place of ours."""
    cells.insert(_LINKS_COLUMN, cells.pop())


def _heading(key: str, name: str) -> str:
    return f'<th class="sortable" data-column-type="{key}">{html.escape(name)}</th>'


def _fill(row: Row, cells: "Sequence[Cell]") -> None:
    """Add the cells, and store the row with as few characters as possible: 10,000 rows may be one file."""
    # Each quotation mark takes five characters in the file and "<" four. HTML allows to leave out the end tag of a cell
    # and the quotation marks of a plain word; the two classes mean nothing to pytest-html.
    own = [f"<td>{html.escape(cell.text)}" for cell in cells]
    markup = row["resultsTableRow"]
    _move_links(markup)
    text = "".join((*markup[:_FIRST_COLUMN], *own, *markup[_FIRST_COLUMN:])).replace("</td>", "")
    row["resultsTableRow"] = [_QUOTED_WORD.sub(r"\1\2", _UNUSED_CLASS.sub("", text))]
    for optional in ("log", "extras"):
        if not row[optional]:
            del row[optional]


def _add_ranks(rows: Sequence[Row], key: str, orders: Sequence[Any]) -> None:
    """Add to each row its rank in a column, by which the page sorts: shorter than the value itself."""
    ranks = {order: rank for rank, order in enumerate(sorted(set(orders)))}
    for row, order in zip(rows, orders, strict=True):
        row[key] = ranks[order]
