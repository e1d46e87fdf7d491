"""``mcpbench lint``: find what misleads agents in the definitions of servers, and tasks that can show nothing."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import anyio

from pytest_mcpbench import __version__
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.formats import findings_json, github_lines, sarif, terminal_lines
from pytest_mcpbench.definitions.lint.rules import Tier
from pytest_mcpbench.definitions.lint.settings import apply_settings
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.linting import lint_servers, lint_settings

Listed = list[tuple[ConfiguredServer, ServerDefinition]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)
    parser.add_argument("--format", choices=("terminal", "github", "sarif", "json"), default="terminal")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")
    parser.add_argument(
        "-v", action="store_true", dest="verbose", help="terminal only: a line for each finding, and remarks on style"
    )
    parser.add_argument("--strict", action="store_true", help="also apply rules most of whose findings change nothing")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    settings = lint_settings(Path())
    settings = settings.model_copy(update={"strict": settings.strict or options.strict})
    listed, problems = anyio.run(_listed, selected_servers(options))
    result = apply_settings(lint_servers(listed, settings), settings)
    if listed or not problems:  # otherwise nothing was looked at
        files = {server.name: Path(os.path.relpath(server.files[0])).as_posix() for server, _ in listed}
        tiers: tuple[Tier, ...] = ("error", "warning", "info") if options.verbose else ("error", "warning")
        pieces: Iterable[str]
        if options.format == "sarif":
            pieces = [sarif(result, files, __version__)]
        elif options.format == "json":
            pieces = [findings_json(result)]
        elif options.format == "github":
            pieces = (f"{line}\n" for line in github_lines(result, files))
        else:
            pieces = (f"{line}\n" for line in terminal_lines(result, tiers, is_grouped=not options.verbose))
        write_text(pieces, options.out)
    for problem in problems:
        print(f"mcpbench: {problem}", file=sys.stderr)
    if problems:
        return 2
    return 1 if any(settings.fails(finding) for finding in result.findings) else 0


async def _listed(servers: Iterable[ConfiguredServer]) -> tuple[Listed, list[McpBenchError]]:
    """Return the servers with their definitions, and the errors of those that cannot be listed."""
    listed: Listed = []
    problems: list[McpBenchError] = []
    async with ServerPool(root=Path.cwd()) as pool:
        for server in servers:
            try:
                listed.append((server, await pool.definition(server.ref)))
            except McpBenchError as error:
                problems.append(error)
    return listed, problems
