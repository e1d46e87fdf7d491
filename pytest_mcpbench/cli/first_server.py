"""Server that ``mcpbench init`` looks at, and the way in which the new task file refers to it."""

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.server_names import server_by_name
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.loaders.manifest import UNNAMED, mcp_json_files
from pytest_mcpbench.runtime.suites.server_paths import absolute, locate, servers_of_mcp_json

_CLIENT_FILES = (
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    "AppData/Roaming/Claude/claude_desktop_config.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    "AppData/Roaming/Code/User/mcp.json",
)
"""Files of clients below the home directory."""


@dataclass(frozen=True)
class FirstServer:
    """A server that is to be tested."""

    ref: ServerRef
    """Its relative paths start from an absolute directory."""
    head: dict[str, Any] = field(default_factory=dict)
    """Fields of the task file that define it; empty if an ``mcp.json`` of the project does."""
    is_foreign: bool = False
    """True if the project needs a copy of its definition in an ``mcp.json`` of its own."""


def first_server(options: argparse.Namespace, root: Path) -> FirstServer:
    """Return the server that the options name, or the only one of the project's ``mcp.json``."""
    own = mcp_json_files(root)
    if options.mcp_json is not None:
        ref = _named(options.server, servers_of_mcp_json(options.mcp_json, root), options.mcp_json)
        return FirstServer(ref, is_foreign=options.mcp_json.resolve() not in {file.resolve() for file in own})
    configured = servers_of_mcp_json(own[0], root) if own else {}
    if own and (options.server is None or options.server in configured):
        return FirstServer(_named(options.server, configured, own[0]))
    if options.server is None:
        raise UsageError(_no_server())
    ref = server_by_name(options.server).model_copy(update={"name": UNNAMED})
    return FirstServer(absolute(locate(ref, root, root), root), {"server": options.server})


def _named(name: str | None, servers: dict[str, ServerRef], file: Path) -> ServerRef:
    if name is None and len(servers) == 1:
        return next(iter(servers.values()))
    if name is None:
        raise UsageError(f"{file} has {len(servers)} servers; name one of: {', '.join(sorted(servers))}.")
    if name not in servers:
        raise UsageError(f"{file} has no server {name!r}. {hint(name, servers)}")
    return servers[name]


def _no_server() -> str:
    found = [str(Path.home() / name) for name in _CLIENT_FILES if (Path.home() / name).is_file()]
    example = 'name the server, such as `mcpbench init "python server.py"`'
    if not found:
        return f"there is no mcp.json in the working directory; {example}."
    return f"there is no mcp.json in the working directory; {example}, or --mcp-json with one of: {', '.join(found)}."
