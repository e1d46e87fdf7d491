"""``mcpbench fetch``: download a public benchmark's files."""

import argparse
from pathlib import Path

from pytest_mcpbench.runtime.fetch import cache_directory, fetch
from pytest_mcpbench.runtime.suites.real_servers import FILES, write_real_servers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=("atlas", "toolbench", "finmcp", "persona"))
    parser.add_argument("--to", type=Path, metavar="DIR", help="directory for the files (default: a cache directory)")
    parser.add_argument(
        "--servers", choices=tuple(FILES), help="write an mcp.json with the benchmark's real servers beside the files"
    )


def run(options: argparse.Namespace) -> int:
    if options.servers:
        directory = options.to or cache_directory() / options.name
        print(f"servers: {write_real_servers(options.name, options.servers, directory)}")
    print(fetch(options.name, options.to))
    return 0
