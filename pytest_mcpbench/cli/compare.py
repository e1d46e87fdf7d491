"""``mcpbench compare``: compare two runs on the tasks that both have."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.run_reports import DIRECTORY_HELP
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting import conditions, json, model_comparison, run_comparison
from pytest_mcpbench.runtime.records import read_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", type=Path, metavar="DIR", help=DIRECTORY_HELP)
    parser.add_argument("after", type=Path, metavar="DIR", help="directory of another run of the same tasks")
    parser.add_argument("--format", choices=("terminal", "markdown", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit code 1 if passes are significantly fewer")


def run(options: argparse.Namespace) -> int:
    before, after = read_report(options.before), read_report(options.after)
    pairs = model_comparison.between_runs(before, after)
    if not pairs:
        raise UsageError(
            "the two runs have no suite with a task and a model in common; where the models differ, each run "
            "must have exactly one."
        )
    if options.format == "json":
        write_text(json.comparison(pairs), options.out)
    else:
        render = {"terminal": run_comparison.terminal, "markdown": run_comparison.markdown}[options.format]
        write_text(render(pairs, list(conditions.differing_conditions(before.facts, after.facts))), options.out)
    return int(options.fail_if_worse and any(map(model_comparison.is_regression, pairs)))
