"""Servers of a command line: by name, file, command or URL, and all that a directory configures."""

import argparse
import sys
from pathlib import Path

from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.field_errors import FieldError
from pytest_mcpbench.loaders.mcp_json import server_from_line
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer, server_ids, servers_below
from pytest_mcpbench.suite_files.server_paths import absolute
from pytest_mcpbench.text.suggestions import did_you_mean

# Servers that a command line refers to by a name, a file, a command or a URL.

SERVER_HELP = (
    "the name of a simulated server, a Python file, a directory with server.py, package.module:attribute, a command, "
    "or a URL"
)


def server_by_name(name: str) -> ServerRef:
    """Return a simulated server of the catalogue, or any server in the forms that a task file allows."""
    if name in SERVERS:
        return ServerRef(name=name, transport="in_process", factory=SERVERS[name])
    if name.endswith(".py") and " " not in name:
        return _server_of_file(Path(name).resolve())
    if (Path(name) / "server.py").is_file():
        return _server_of_file(Path(name, "server.py").resolve())
    if not any(mark in name for mark in ":/ "):
        from pytest_mcpbench.simulated.serve import unknown_server_message  # imports the MCP SDK

        raise UsageError(unknown_server_message(name))
    import_from_working_directory()
    try:
        return ServerRef.model_validate({**server_from_line("server", name), "state": "per_task"})
    except FieldError as wrong:
        raise UsageError(wrong.problem) from None


def import_from_working_directory() -> None:
    """Let Python import modules of the working directory, which an installed command does not search by itself."""
    sys.path.insert(0, str(Path.cwd()))


def _server_of_file(file: Path) -> ServerRef:
    sys.path.insert(0, str(file.parent))
    return ServerRef(name=file.stem, transport="in_process", factory=f"{file.stem}:server", state="per_task")


# Servers that a command looks at: all that the files below a directory define, or those that it names.


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of servers, and the directory whose files define them."""
    parser.add_argument(
        "servers",
        nargs="*",
        metavar="SERVER",
        help="name of a configured server, a command, a URL or package.module:attribute (default: all configured)",
    )
    add_directory_argument(parser)


def add_directory_argument(parser: argparse.ArgumentParser) -> None:
    """Add the directory whose files define servers."""
    parser.add_argument(
        "--directory",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where task files, suite.toml and mcp.json are looked for (default: the working directory)",
    )


def selected_servers(options: argparse.Namespace) -> list[ConfiguredServer]:
    """Return the servers in the order of their files; raise UsageError if there is none, or an unknown one is named."""
    root: Path = options.directory.resolve()
    if not root.is_dir():
        raise UsageError(f"--directory: {options.directory} is no directory.")
    given = [name for name in options.servers if _is_address(name)]
    needs_files = not options.servers or any("://" not in name for name in options.servers)
    configured = servers_below(root) if needs_files else []
    if not options.servers:
        if not configured:
            raise UsageError(
                f"no server is defined in {root} or below: there is no *.mcpbench.yaml with `server:`, no suite.toml "
                "and no mcp.json. Name a server, such as `python server.py`, or begin with `mcpbench init`."
            )
        servers = configured
    else:
        known = [name for server in configured for name in dict.fromkeys((server.name, *server.ids.values()))]
        for name in options.servers:
            if name not in known and not _is_address(name):
                question = did_you_mean(name, known)
                listed = ", ".join(known) or "none"
                problem = f"no server is called {name!r} in {root} or below; there are: {listed}."
                raise UsageError(f"{problem} {question}" if question else problem)
        servers = [
            *(server for server in configured if {server.name, *server.ids.values()} & {*options.servers}),
            *(_server_of_line(line, root) for line in given if line not in known),
        ]
    known_secrets().add_servers(server.ref for server in servers)
    return servers


def _is_address(name: str) -> bool:
    return any(mark in name for mark in " :/") or name.endswith(".py")


def _server_of_line(line: str, root: Path) -> ConfiguredServer:
    ref = server_by_name(line)
    # Its lock belongs to the directory, as if a file there defined it.
    (name,) = server_ids([(root / "mcp.json", ref)])
    return ConfiguredServer(name, absolute(ref, Path.cwd()), (root / "mcp.json",))
