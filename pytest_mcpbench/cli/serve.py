"""``mcpbench serve``: serve a simulated server over stdio or HTTP."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.arguments import port
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.simulated.serve import serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", help="the server: mail, calendar, …, a Python file that has a server, or a directory with server.py"
    )
    parser.add_argument("--transport", choices=("stdio", "http"), default="stdio")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=port, default=8000)
    parser.add_argument("--seed", type=Path, metavar="FILE", help="JSON file with the initial state of the world")
    parser.add_argument("--now", metavar="TIME", help="time of the world's frozen clock, ISO 8601")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    serve(
        options.name,
        transport=options.transport,
        host=options.host,
        port=options.port,
        seed=options.seed,
        now=options.now,
    )
    return 0
