"""Tables of metrics by tags, for ``mcpbench report --by``."""

import argparse

from pytest_mcpbench.cli.output import terminal_columns
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.tables.breakdown import (
    Breakdown,
    json_content,
    split_names,
    suite_grids,
    unknown_names,
)
from pytest_mcpbench.reporting.tables.grid import CellForm, as_table
from pytest_mcpbench.reporting.texts.grid_forms import NamedGrid, grids_text

TABLE_FORMATS = ("latex", "csv")
"""Formats that have tables of metrics only."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a table and what its cells show."""
    parser.add_argument(
        "--by", metavar="TAG[,TAG]", help="show a table of metrics by the values of these tags instead of the report"
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME[,NAME]",
        help="metric of the table, which :macro or :micro may follow, or passed, tokens, cost, steps, calls, seconds; "
        "repeatable; default: passed and the metrics with a floor",
    )
    parser.add_argument("--counts", action="store_true", help="show the number of attempts behind each number")
    parser.add_argument("--intervals", action="store_true", help="show the 95 %% interval of each number")


def is_requested(options: argparse.Namespace) -> bool:
    """Return whether the command line asks for a table of metrics."""
    return bool(options.by or options.metric or options.format in TABLE_FORMATS)


def text(report: Report, options: argparse.Namespace) -> str:
    """Return the table for each suite; raise UsageError if no attempt has a tag or a metric."""
    metrics = tuple(name for names in options.metric for name in split_names(names))
    breakdown = Breakdown(split_names(options.by or ""), metrics)
    for problem in unknown_names(report, breakdown):
        raise UsageError(problem)
    if options.format == "json":
        return json.as_text({"version": json.VERSION, **json_content(report, breakdown)})
    grids, form = suite_grids(report, breakdown), CellForm(options.counts, options.intervals)
    if options.format == "html":
        from pytest_mcpbench.reporting.page.document import page  # markup, which the other formats do not need
        from pytest_mcpbench.reporting.tables.section import table_section

        sections = [
            table_section(f"table-{number}", breakdown.title, as_table(each.grid, form), suite=each.suite)
            for number, each in enumerate(grids, 1)
        ]
        return "".join(page(title=breakdown.title, sections=sections))
    named = (NamedGrid(f"{each.suite}: {each.grid.title}", f"tab:{n}", each.grid) for n, each in enumerate(grids, 1))
    columns = terminal_columns() if options.out is None else None
    return grids_text(tuple(named), form, options.format, columns)
