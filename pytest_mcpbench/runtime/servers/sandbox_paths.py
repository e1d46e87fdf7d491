"""Replacement of ``{sandbox}`` in a server's definition by the directory of the attempt."""

from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef

SANDBOX = "{sandbox}"


def in_sandbox(ref: ServerRef, directory: Path) -> ServerRef:
    """Return the server with ``{sandbox}`` replaced in its command, arguments, variables, URL, headers and settings.

    Raises:
        ServerError: the server is shared by attempts, so that it has no directory of its own.
    """
    fields = {name: getattr(ref, name) for name in _EXPANDED}
    expanded = {name: _expand(value, str(directory)) for name, value in fields.items()}
    if expanded == fields:
        return ref
    if ref.is_shared:
        problem = f"its definition uses {SANDBOX}, but one connection serves all attempts; set state = 'per_task'"
        raise ServerError(problem, ref.name, "configure")
    # A process that imports the server beforehand, to be forked for each attempt, cannot know the directory of one.
    return ref.model_copy(update={**expanded, "fork": False})


_EXPANDED = ("command", "arguments", "environment", "working_directory", "url", "headers", "settings")


def _expand(value: Any, directory: str) -> Any:
    if isinstance(value, str):
        return value.replace(SANDBOX, directory)
    if isinstance(value, dict):
        return {key: _expand(part, directory) for key, part in value.items()}
    return type(value)(_expand(part, directory) for part in value) if isinstance(value, list | tuple) else value
