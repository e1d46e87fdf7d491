"""Servers that a command line refers to by a name, a file, a command or a URL."""

import sys
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.field_errors import FieldError
from pytest_mcpbench.loaders.mcp_json import server_from_line
from pytest_mcpbench.simulated.catalogue import SERVERS

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
