"""``mcpbench call``: call one tool of a server and print its result."""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import add_directory_argument, import_from_working_directory, selected_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.metrics.comparison.schema import coerce, parameters
from pytest_mcpbench.reporting.forms.display_text import terminal_safe
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.text.json_reading import read_json
from pytest_mcpbench.text.suggestions import hint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="[SERVER] TOOL [NAME=VALUE …]",
        help="a server as for mcpbench tools, which can be omitted if only one is configured; the server's own name of "
        "the tool; its arguments, read as JSON where the schema asks for no text",
    )
    parser.add_argument("--arguments", dest="json_arguments", metavar="JSON", help="all arguments as one JSON object")
    add_directory_argument(parser)
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="directory in which the server works (default: a temporary one)"
    )
    parser.add_argument("--json", action="store_true", help="print the complete result as JSON")


_ARGUMENT = re.compile(r"[^\s=:/]+=")
"""Beginning of an argument of a tool, which no name of a tool has."""


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    names_server = len(options.words) > 1 and not _ARGUMENT.match(options.words[1])
    options.servers, (tool, *arguments) = options.words[:names_server], options.words[names_server:]
    servers = selected_servers(options)
    if len(servers) != 1:
        names = ", ".join(server.name for server in servers)
        raise UsageError(f"there are several servers: {names}; name one before the tool.")
    result = anyio.run(_call, servers[0], tool, arguments, options)
    as_json = json.dumps(result.model_dump(mode="json"), indent=2, ensure_ascii=False) if options.json else None
    write_text([(as_json or terminal_safe(result.text)) + "\n"], None)
    return 1 if result.is_error else 0


async def _call(
    server: ConfiguredServer, name: str, arguments: Sequence[str], options: argparse.Namespace
) -> ToolResult:
    with TemporaryDirectory(prefix="mcpbench-") as scratch:
        directory = options.work.resolve() if options.work else Path(scratch)
        async with ServerPool(root=Path.cwd()) as pool, pool.session(server.ref, directory) as connection:
            known = {tool.tool: tool for tool in connection.tools}
            if name not in known:
                raise UsageError(f"the server {server.name!r} has no tool {name!r}. {hint(name, known)}")
            tool = known[name]
            given = {**_json_arguments(options.json_arguments), **dict(_argument(text, tool) for text in arguments)}
            return await connection.call(tool.tool, given)


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
