"""``mcpbench new-server``: write a simulated server that works, with a test and a task."""

import argparse
from pathlib import Path

from pytest_mcpbench.simulated.starter import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="name of the server")
    parser.add_argument(
        "--directory", type=Path, metavar="DIR", help="directory for the files (default: a new one of that name)"
    )


def run(options: argparse.Namespace) -> int:
    written = write(options.name, options.directory)
    print("\n".join(map(str, written)))
    print(f"now: pytest {written[0].parent}")
    return 0
