"""``mcpbench compare``: compare two runs on the tasks that both have."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from pytest_mcpbench.cli.arguments import RUN_HELP, count, run_directory
from pytest_mcpbench.cli.output import terminal_columns, write_text
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.reporting.aggregates import regressions
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.page import comparison_page
from pytest_mcpbench.reporting.pull_request import comparison as pull_request_comparison
from pytest_mcpbench.reporting.texts import run_comparison
from pytest_mcpbench.runs.arms.explanation import MOST_TRACES, compared_runs
from pytest_mcpbench.runs.records import read_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", type=run_directory, metavar="DIR", help=RUN_HELP)
    parser.add_argument("after", type=run_directory, metavar="DIR", help="another run of the same tasks, or last")
    parser.add_argument("--format", choices=("terminal", "markdown", "json", "html"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")
    parser.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="exit code 1 if passes are significantly fewer; tasks without a verdict in the second run did not pass",
    )
    parser.add_argument(
        "--max-worse",
        type=count,
        metavar="N",
        help="exit code 1 if more than N tasks pass less often or have no verdict in the second run",
    )


def run(options: argparse.Namespace) -> int:
    before, after = read_report(options.before), read_report(options.after)
    most = comparison_page.TRACES if options.format == "html" else MOST_TRACES
    runs = compared_runs((before, options.before), (after, options.after), most_traces=most)
    comparison = runs.comparison
    if not comparison.pairs and not regressions.have_common_tasks(before, after):
        raise UsageError(
            "the two runs have no suite with a task and a model in common; where the models differ, each run "
            "must have exactly one."
        )
    text: Iterable[str]
    if options.format == "json":
        text = json.comparison(comparison, runs.explanations or {})
    elif options.format == "html":
        text = comparison_page.comparison_page(runs)
    elif options.format == "markdown":
        text = pull_request_comparison.text(runs)
    else:
        columns = terminal_columns() if options.out is None else None
        text = run_comparison.terminal(comparison, runs.conditions, runs.explanations or {}, columns=columns)
    write_text(text, options.out)
    problems: list[str] = []
    if options.fail_if_worse and comparison.has_regression:
        problems.append("significantly fewer attempts passed; those without a verdict did not pass (--fail-if-worse)")
    if options.max_worse is not None and comparison.worse_tasks > options.max_worse:
        problems.append(f"{comparison.worse_tasks} tasks are worse, more than --max-worse {options.max_worse}")
    for problem in problems:
        print(f"mcpbench: {problem}", file=sys.stderr)
    return int(bool(problems))
