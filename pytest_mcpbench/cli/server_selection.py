"""Servers that a command looks at: all that the files below a directory define, or those that it names."""

import argparse
from pathlib import Path

from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import server_by_name
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.runtime.suites.configured_servers import ConfiguredServer, servers_below
from pytest_mcpbench.runtime.suites.server_ids import server_ids
from pytest_mcpbench.runtime.suites.server_paths import absolute


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
    servers = _selected(options)
    known_secrets().add_servers(server.ref for server in servers)
    return servers


def _selected(options: argparse.Namespace) -> list[ConfiguredServer]:
    root: Path = options.directory.resolve()
    if not root.is_dir():
        raise UsageError(f"--directory: {options.directory} is no directory.")
    given = [name for name in options.servers if _is_address(name)]
    needs_files = not options.servers or any("://" not in name for name in options.servers)
    configured = servers_below(root) if needs_files else []
    if not options.servers:
        return configured or _none(root)
    known = [server.name for server in configured]
    for name in options.servers:
        if name not in known and not _is_address(name):
            raise UsageError(_unknown(name, known, root))
    return [
        *(server for server in configured if server.name in options.servers),
        *(_server_of_line(line, root) for line in given if line not in known),
    ]


def _is_address(name: str) -> bool:
    return any(mark in name for mark in " :/") or name.endswith(".py")


def _server_of_line(line: str, root: Path) -> ConfiguredServer:
    ref = server_by_name(line)
    # Its lock belongs to the directory, as if a file there defined it.
    (name,) = server_ids([(root / "mcp.json", ref)])
    return ConfiguredServer(name, absolute(ref, Path.cwd()), (root / "mcp.json",))


def _none(root: Path) -> list[ConfiguredServer]:
    raise UsageError(
        f"no server is defined in {root} or below: there is no *.mcpbench.yaml with `server:`, no suite.toml and no "
        "mcp.json. Name a server, such as `python server.py`, or begin with `mcpbench init`."
    )


def _unknown(name: str, known: list[str], root: Path) -> str:
    question = did_you_mean(name, known)
    listed = ", ".join(known) or "none"
    return f"no server is called {name!r} in {root} or below; there are: {listed}." + (
        f" {question}" if question else ""
    )
