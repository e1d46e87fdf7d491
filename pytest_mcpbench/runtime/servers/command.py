"""Command line and working directory of a stdio server."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef


def working_directory(ref: ServerRef, *, suite_directory: Path, default: Path) -> Path:
    """Return the configured directory, relative to the suite's, or the default.

    Raises:
        ServerError: the directory does not exist.
    """
    directory = suite_directory / ref.working_directory if ref.working_directory else default
    if not directory.is_dir():
        raise ServerError(f"its working directory {directory} does not exist", ref.name, "configure")
    return directory


def command_line(
    ref: ServerRef, environment: Mapping[str, str], *, directory: Path, suite_directory: Path
) -> tuple[str, ...]:
    """Return the command as an absolute path, followed by its arguments.

    An argument that is the path of a file in the suite's directory, but not in the working directory, becomes
    absolute: so ``python server.py`` also works for a server that runs in a sandbox directory.

    Raises:
        ServerError: the command does not exist or is not executable.
    """
    arguments = (_resolve_suite_file(argument, directory, suite_directory) for argument in ref.arguments)
    return (_executable(ref, environment, directory, suite_directory), *arguments)


def _executable(ref: ServerRef, environment: Mapping[str, str], directory: Path, suite_directory: Path) -> str:
    command = str(ref.command)
    if os.sep not in command:
        # The PATH of the server, not of this process.
        executable = shutil.which(command, path=environment.get("PATH"))
        where = "on PATH"
    else:
        candidates = (shutil.which(str(base / command)) for base in (directory, suite_directory))
        executable = next(filter(None, candidates), None)
        where = f"in {directory} or {suite_directory}" if not os.path.isabs(command) else "there"  # noqa: PTH117
    if executable is None:
        problem = f"its command {command!r} was not found {where}, or cannot be executed"
        hint = "; a command is one word: write its arguments as `args`" if " " in command else ""
        raise ServerError(problem + hint, ref.name, "start")
    return executable


def _resolve_suite_file(argument: str, directory: Path, suite_directory: Path) -> str:
    candidate = suite_directory / argument
    if argument and _is_file(candidate) and not (directory / argument).exists():
        return str(candidate)
    return argument


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument that is not a path at all: too long, or with a NUL character
        return False
