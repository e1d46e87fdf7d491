"""``mcpbench fetch``: download a public benchmark's files."""

import argparse
from pathlib import Path

from pytest_mcpbench.runtime.fetch import fetch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("atlas", "toolbench", "finmcp", "persona"))
    parser.add_argument("--to", type=Path, metavar="DIR", help="directory for the files (default: a cache directory)")


def run(options: argparse.Namespace) -> int:
    print(fetch(options.name, options.to))
    return 0
