"""``mcpbench merge``: join the records of shards, machines and models into one run."""

import argparse
import sys
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP, run_directory
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.cli.run_reports import (
    add_format_arguments,
    attempts_for,
    read_runs,
    rendered_report,
)
from pytest_mcpbench.runs.merging import merge
from pytest_mcpbench.text.words import shortened_list


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directories", type=run_directory, nargs="+", metavar="DIR", help=RUN_HELP)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="directory of the joined run")
    add_format_arguments(parser)
    parser.add_argument("--fail-if-missing", action="store_true", help="exit code 1 if shards or tasks are missing")


def run(options: argparse.Namespace) -> int:
    merged = merge(options.directories, options.out, known_secrets())
    attempts = attempts_for(options)
    report, homes = read_runs([options.out], attempts)
    write_text(rendered_report(report, homes, options, attempts, is_for_file=False), None)
    notes = [f"{merged.records} records are in {options.out}"]
    if merged.duplicates:
        notes.append(
            f"{merged.duplicates} attempts were in more than one directory; of each the last finished one was taken, "
            "an error only where there was nothing else"
        )
    if merged.damaged:
        notes.append(f"{merged.damaged} records cannot be read and were left out")
    if merged.missing_shards:
        notes.append(f"shards that are not among the directories: {', '.join(merged.missing_shards)}")
    for (suite, model), tasks in merged.missing.items():
        notes.append(f"suite {suite}, model {model}: without a record ({len(tasks)}): {shortened_list(tasks)}")
    for note in notes:
        print(f"mcpbench: {note}", file=sys.stderr)
    return int(options.fail_if_missing and bool(merged.missing_shards or merged.missing))
