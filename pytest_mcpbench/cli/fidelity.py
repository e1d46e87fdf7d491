"""``mcpbench fidelity``: compare a simulation with recorded calls of the real server."""

import argparse
from pathlib import Path

import anyio

from pytest_mcpbench.attempt.fidelity import judge_pairs, replay_traces
from pytest_mcpbench.cli.models import call_with_judge
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.cli.server_names import SERVER_HELP, server_by_name
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.fidelity.comparison import fidelity
from pytest_mcpbench.loaders.traces import read_traces
from pytest_mcpbench.reporting.texts import fidelity as fidelity_reports
from pytest_mcpbench.text.bounded_pattern import pattern_fault


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("traces", type=Path, metavar="TRACES.jsonl", help="recorded calls of the real server")
    parser.add_argument("--server", required=True, metavar="NAME", help="the simulation: " + SERVER_HELP)
    parser.add_argument(
        "--judge", metavar="NAME", help="a model that decides whether a call succeeded (default: a rule)"
    )
    parser.add_argument(
        "--mask", action="append", default=[], metavar="REGEX", help="text to leave out when responses are compared"
    )
    parser.add_argument("--format", choices=("terminal", "markdown", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="also show answers that differ only in wording"
    )


def run(options: argparse.Namespace) -> int:
    for pattern in options.mask:
        if fault := pattern_fault(pattern):
            raise UsageError(f"--mask {fault}.")
    traces = read_traces(options.traces.read_text(encoding="utf-8"), str(options.traces))
    server = server_by_name(options.server)
    known_secrets().add_servers([server])
    pairs = anyio.run(replay_traces, traces, server)
    if options.judge:
        pairs = call_with_judge(judge_pairs, pairs, name=options.judge)
    result = fidelity(options.server, pairs, traces=len(traces), masks=options.mask)
    render = {
        "terminal": lambda: fidelity_reports.terminal(result, verbosity=options.verbose),
        "markdown": lambda: fidelity_reports.markdown(result),
        "json": lambda: fidelity_reports.text(result),
    }
    write_text(render[options.format](), options.out)
    return 0
