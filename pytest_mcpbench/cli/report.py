"""``mcpbench report``: show finished runs again, alone or together."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.run_reports import DIRECTORY_HELP, add_format_arguments, read_runs, rendered_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR", help=DIRECTORY_HELP)
    add_format_arguments(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")


def run(options: argparse.Namespace) -> int:
    report, homes = read_runs(options.directories)
    write_text(rendered_report(report, homes, options), options.out)
    return 0
