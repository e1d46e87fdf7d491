"""``mcpbench view``: show runs in a browser, also while they go on."""

import argparse
import getpass

from pytest_mcpbench.cli.arguments import RUN_HELP, port
from pytest_mcpbench.runs.lookup import LAST, find_runs, find_viewable_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="*", default=[LAST], metavar="RUN", help=f"{RUN_HELP} (default); two are compared"
    )
    parser.add_argument("--port", type=port, default=0, metavar="N", help="port of 127.0.0.1; default: a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    parser.add_argument("--author", metavar="NAME", help="author of new notes; default: your user name")


def run(options: argparse.Namespace) -> int:
    from pytest_mcpbench.viewer.application import (
        ViewSettings,
        serve,  # imports starlette and uvicorn
    )

    directories = find_runs(options.runs, find_viewable_run)
    settings = ViewSettings(options.port, options.author or default_author(), opens_browser=not options.no_browser)
    serve(directories, settings, lambda url: print(f"{url} (Ctrl-C ends it)", flush=True))
    return 0


def default_author() -> str:
    """Return the user name of whoever runs the command."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
