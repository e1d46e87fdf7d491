"""``mcpbench history``: show how results, costs and sizes change over runs, and keep them in one small file."""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP, run_directory
from pytest_mcpbench.cli.output import terminal_columns, write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.reporting.data.history import (
    HistoryPoint,
    history_lines,
    history_points,
    history_table,
    merge_points,
    parse_history,
)
from pytest_mcpbench.reporting.page.history_page import history_page
from pytest_mcpbench.reporting.tables import markdown
from pytest_mcpbench.reporting.texts.terminal import render_table
from pytest_mcpbench.runs.records import read_report

_COMMIT_VARIABLES = ("GITHUB_SHA", "CI_COMMIT_SHA")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=run_directory, nargs="*", metavar="DIR", help=RUN_HELP)
    parser.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help="history of earlier runs, a line of JSON for each suite and model of a run; the runs are added to it",
    )
    parser.add_argument(
        "--commit",
        help="commit of the runs that are added, by default that of the CI job; only with one DIR",
    )
    parser.add_argument("--format", choices=("terminal", "markdown", "html", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")


def run(options: argparse.Namespace) -> int:
    if not options.directories and options.file is None:
        raise UsageError("name the directories of runs, or a history with --file FILE.")
    if options.commit and len(options.directories) != 1:
        raise UsageError("--commit is that of one run: name one DIR.")
    kept: list[HistoryPoint] = []
    if options.file is not None and (options.file.exists() or not options.directories):
        kept = parse_history(options.file.read_text(encoding="utf-8"), str(options.file))
    found = (os.environ[name] for name in _COMMIT_VARIABLES if os.environ.get(name))
    # The commit of the job is that of earlier runs only if there are none.
    commit = options.commit or (next(found, "") if len(options.directories) == 1 else "")
    new = [
        point for directory in options.directories for point in history_points(read_report(directory), commit=commit)
    ]
    points = merge_points([*kept, *new])
    if options.file is not None and new:
        options.file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(options.file, history_lines(points).encode())
    text: Iterable[str]
    if options.format == "html":
        text = history_page(points)
    elif options.format == "json":
        text = history_lines(points)
    elif options.format == "markdown":
        text = markdown.render_table(history_table(points)) + "\n"
    else:
        columns = terminal_columns() if options.out is None else None
        text = "\n".join(render_table(history_table(points), columns)) + "\n"
    write_text(text, options.out)
    return 0
