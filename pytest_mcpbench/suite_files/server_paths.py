"""Directory from which the relative paths of a server's definition start."""

import os
from pathlib import Path

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import enclosing_directories, workspace_of
from pytest_mcpbench.loaders.mcp_json import read_mcp_json

PROGRAM_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".jar", ".php")
"""Endings of the arguments of a command that name the program which it runs."""


def locate(ref: ServerRef, suite_directory: Path, root: Path) -> ServerRef:
    """Return the server with the nearest enclosing directory in which its program exists.

    The search begins at the file that defines the server and ends at the project's root, so that a task file in
    ``tests`` can name ``python server.py`` of the project.
    """
    paths = _paths(ref)
    start = suite_directory / (ref.definition_directory or ".")
    for directory in enclosing_directories(start, root) if paths else ():
        if any(_exists(directory / path) for path in paths):
            relative = os.path.relpath(directory.resolve(), suite_directory.resolve())
            return ref.model_copy(update={"definition_directory": None if relative == os.curdir else relative})
    return ref


def absolute(ref: ServerRef, suite_directory: Path) -> ServerRef:
    """Return the server with a definition directory that does not depend on a suite."""
    directory = (suite_directory / (ref.definition_directory or ".")).resolve()
    return ref.model_copy(update={"definition_directory": str(directory)})


def servers_of_mcp_json(file: Path, root: Path) -> dict[str, ServerRef]:
    """Return the servers of an ``mcp.json`` that no suite refers to, with definition directories that are absolute."""
    directory = workspace_of(file)
    environment = {"workspaceFolder": str(directory.resolve()), **os.environ}
    servers = read_mcp_json(file.read_text(encoding="utf-8-sig"), str(file), environment).servers
    return {name: absolute(locate(ref, directory, root), directory) for name, ref in servers.items()}


def _paths(ref: ServerRef) -> list[str]:
    """Return the relative paths that must exist for the server to start."""
    if ref.transport != "stdio":
        return []
    if ref.working_directory:
        return [ref.working_directory]
    words = [str(ref.command)] if os.sep in str(ref.command) else []
    words += [word for word in ref.arguments if word.endswith(PROGRAM_ENDINGS)]
    return [word for word in words if not Path(word).is_absolute()]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # an argument that is too long for a path is none
        return False
