"""``mcpbench export``: write the data of runs for other programs."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.show import RUN_HELP
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting.data.columns import KINDS
from pytest_mcpbench.reporting.data.csv_text import csv_lines
from pytest_mcpbench.runtime.run_data import RunData, load, write_parquet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--table", choices=KINDS, default="attempts", help="csv and parquet: the rows of the table")
    parser.add_argument("--out", type=Path, metavar="PATH", help="file to write; csv: default standard output")


def run(options: argparse.Namespace) -> int:
    data = load(options.runs)
    if options.format == "csv":
        _export_csv(data, options)
    else:
        _export_parquet(data, options)
    return 0


def _export_csv(data: RunData, options: argparse.Namespace) -> None:
    write_text(csv_lines(data.table(KINDS[options.table])), options.out)


def _export_parquet(data: RunData, options: argparse.Namespace) -> None:
    write_parquet(data.table(KINDS[options.table]), _required_path(options))


def _required_path(options: argparse.Namespace) -> Path:
    """Return the path to write to, which formats that are not text for a terminal need."""
    if options.out is None:
        raise UsageError(f"--format {options.format} needs --out PATH.")
    path: Path = options.out
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
