"""``mcpbench call``: call one tool of a server and print its result."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.cli.server_selection import selected_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.json_reading import read_json
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.metrics.comparison.schema import coerce, parameters
from pytest_mcpbench.reporting.display_text import terminal_safe
from pytest_mcpbench.runtime.server_pool import ServerPool
from pytest_mcpbench.runtime.suites.configured_servers import ConfiguredServer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", help="the server's own name of the tool")
    parser.add_argument(
        "arguments", nargs="*", metavar="NAME=VALUE", help="an argument; read as JSON where the schema asks for no text"
    )
    parser.add_argument("--arguments", dest="json_arguments", metavar="JSON", help="all arguments as one JSON object")
    parser.add_argument("--server", dest="servers", action="append", default=[], metavar="SERVER", help=_SERVER_HELP)
    parser.add_argument("--directory", type=Path, default=Path(), metavar="DIR", help=_DIRECTORY_HELP)
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="directory in which the server works (default: a temporary one)"
    )
    parser.add_argument("--json", action="store_true", help="print the complete result as JSON")


_SERVER_HELP = (
    "name of a configured server, a command, a URL or package.module:attribute (default: the one that is configured)"
)
_DIRECTORY_HELP = "where task files, suite.toml and mcp.json are looked for (default: the working directory)"


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    servers = selected_servers(options)
    if len(servers) != 1:
        names = ", ".join(server.name for server in servers)
        raise UsageError(f"there are several servers: {names}; name one with --server.")
    result = anyio.run(_call, servers[0], options)
    as_json = json.dumps(result.model_dump(mode="json"), indent=2, ensure_ascii=False) if options.json else None
    write_text([(as_json or terminal_safe(result.text)) + "\n"], None)
    return 1 if result.is_error else 0


async def _call(server: ConfiguredServer, options: argparse.Namespace) -> ToolResult:
    with TemporaryDirectory(prefix="mcpbench-") as scratch:
        directory = options.work.resolve() if options.work else Path(scratch)
        async with ServerPool(root=Path.cwd()) as pool, pool.session(server.ref, directory) as connection:
            tool = _tool(options.tool, connection.tools, server.name)
            return await connection.call(tool.tool, _arguments(options, tool))


def _tool(name: str, tools: Sequence[ToolSpec], server: str) -> ToolSpec:
    known = {tool.tool: tool for tool in tools}
    if name not in known:
        raise UsageError(f"the server {server!r} has no tool {name!r}. {hint(name, known)}")
    return known[name]


def _arguments(options: argparse.Namespace, tool: ToolSpec) -> dict[str, Any]:
    return {**_json_arguments(options.json_arguments), **dict(_argument(text, tool) for text in options.arguments)}


def _json_arguments(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        arguments = read_json(text)
    except ValueError as error:
        raise UsageError(f"--arguments is not valid JSON: {error}.") from None
    if not isinstance(arguments, dict):
        raise UsageError('--arguments must be a JSON object, such as \'{"city": "Oslo"}\'.')
    return arguments


def _argument(text: str, tool: ToolSpec) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; a value stays text unless the schema wants something else."""
    name, separator, value = text.partition("=")
    if not separator:
        raise UsageError(f"{text!r} is not NAME=VALUE.")
    known = parameters(tool.input_schema)
    if known.are_known and not known.accepts_others and name not in known.properties:
        raise UsageError(f"the tool {tool.tool!r} has no parameter {name!r}. {hint(name, known.properties)}")
    return name, coerce(value, known.properties.get(name), tool.input_schema)
