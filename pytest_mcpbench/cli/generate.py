"""``mcpbench generate``: generate the task files of a shipped suite."""

import argparse
from pathlib import Path

from pytest_mcpbench.generation.command import generate

_SUITES = ("atlas", "finmcp", "persona", "radar", "toolbench")
"""Suites whose task files are generated; each is a package of :mod:`pytest_mcpbench.generation`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument(
        "--out",
        "--to",
        type=Path,
        metavar="DIR",
        help="directory for the task files (default: in a checkout of the project the suite itself, otherwise "
        "suites/NAME in the working directory)",
    )
    parser.add_argument("--seed", type=int, help="seed of the random part (default: the seed of the shipped files)")


def run(options: argparse.Namespace) -> int:
    for path in generate(options.suite, options.out, options.seed):
        print(path)
    return 0
