"""``mcpbench report``: show finished runs again, alone or together."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from pytest_mcpbench.cli import metric_tables
from pytest_mcpbench.cli.arguments import RUN_HELP, run_directory
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.run_reports import (
    add_format_arguments,
    attempts_for,
    read_runs,
    rendered_report,
)
from pytest_mcpbench.garbage_collection import paused_collection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=run_directory, nargs="+", metavar="DIR", help=RUN_HELP)
    add_format_arguments(parser, *metric_tables.TABLE_FORMATS)
    metric_tables.add_arguments(parser)
    parser.add_argument(
        "--official-drop",
        action="store_true",
        help="leave attempts that ended with an error out of every number, as the authors of FinMCP-Bench do",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")


def run(options: argparse.Namespace) -> int:
    with paused_collection():
        attempts = None if metric_tables.is_requested(options) else attempts_for(options)
        report, homes = read_runs(options.directories, attempts)
        if options.official_drop:
            kept = [pair for pair in zip(report.entries, homes, strict=True) if pair[0].outcome != "error"]
            dropped = len(report.entries) - len(kept)
            print(f"official-drop: {dropped} attempts that ended with an error are left out", file=sys.stderr)
            report = report.model_copy(update={"entries": tuple(entry for entry, _ in kept)})
            homes = [home for _, home in kept]
        text: str | Iterable[str]
        if metric_tables.is_requested(options):
            text = metric_tables.text(report, options)
        else:
            text = rendered_report(report, homes, options, attempts, is_for_file=options.out is not None)
        write_text(text, options.out)
    return 0
