"""``mcpbench generate``: make a suite for servers, or the task files of a shipped suite."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.arguments import positive
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.command import generate
from pytest_mcpbench.generation.pipelines import NAMES

_SUITES = ("adversarial", "atlas", "atlas-real", "finmcp", "persona", "radar", "toolbench")
"""Suites whose task files are generated; each is a module of :mod:`pytest_mcpbench.generation`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", choices=_SUITES, metavar="SUITE", help=f"a shipped suite: {', '.join(_SUITES)}"
    )
    parser.add_argument("--suite", choices=_SUITES, metavar="SUITE", help="another way to name the shipped suite")
    parser.add_argument(
        "--out",
        "--to",
        type=Path,
        metavar="DIR",
        help="directory of the suite (default for a shipped suite: in a checkout of the project the suite itself, "
        "otherwise suites/NAME in the working directory)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of everything that is drawn at random")
    own = parser.add_argument_group("a suite for servers of your own")
    _add_server_arguments(own)
    _add_pipeline_arguments(own)
    own.add_argument("--work", type=Path, metavar="DIR", help="directory of the stages' files (default: OUT.work)")
    own.add_argument("--max-cost", type=float, metavar="USD", help="end the run when its models have cost this much")
    own.add_argument(
        "--concurrency", type=positive, default=4, metavar="N", help="questions or attempts at a time (default: 4)"
    )
    own.add_argument(
        "--yes", action="store_true", help="do not wait for your confirmation before the first question to a model"
    )


def _add_server_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--server",
        action="append",
        default=[],
        metavar="[NAME=]SERVER",
        help="a command, a URL, package.module:attribute or the name of a simulated server (repeatable)",
    )
    group.add_argument(
        "--mcp-config",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="mcp.json of a client with servers (repeatable)",
    )
    group.add_argument(
        "--server-json",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="server.json of a registry or marketplace (repeatable)",
    )
    group.add_argument(
        "--category",
        action="append",
        default=[],
        metavar="NAME=SERVER,…",
        help="servers of one category (repeatable; default: each server is its own)",
    )
    group.add_argument("--files", type=Path, metavar="DIR", help="files that the servers find in their directory")
    group.add_argument(
        "--call",
        action="append",
        default=[],
        metavar="TOOL",
        help="use this tool although it does not promise to be read-only; all: every tool (repeatable)",
    )


def _add_pipeline_arguments(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--pipeline",
        default="tools",
        metavar="NAME",
        help=f"one of {', '.join(NAMES)}, or one of a conftest.py (default: tools)",
    )
    group.add_argument("--tasks", type=positive, default=60, metavar="N", help="number of tasks at most (default: 60)")
    group.add_argument("--model", default="none", metavar="NAME", help="model to ask; none: rules (default: none)")
    group.add_argument("--solver", metavar="NAME", help="model that tries each task, to tag its difficulty")
    group.add_argument(
        "--trials", type=positive, default=3, metavar="K", help="attempts of the solver at a task (default: 3)"
    )
    group.add_argument(
        "--language", action="append", metavar="NAME", help="language of the requests (repeatable; default: English)"
    )
    group.add_argument(
        "--dictionary",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="codes of a parameter with the names that people use: JSON, YAML or CSV (repeatable)",
    )
    group.add_argument(
        "--input",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="file that the pipeline reads, such as a log; of a run, the directory of its records (repeatable)",
    )


def run(options: argparse.Namespace) -> int:
    has_servers = bool(options.server or options.mcp_config or options.server_json)
    suite = options.suite or options.name
    if has_servers and suite is None:
        from pytest_mcpbench.cli.generation import generate_suite

        return generate_suite(options)
    if has_servers or suite is None:
        raise UsageError(
            "name either a shipped suite (`mcpbench generate radar`) or servers of your own "
            '(`mcpbench generate --server "python server.py" --out suites/mine`).'
        )
    for path in generate(suite, options.out, options.seed):
        print(path)
    return 0
