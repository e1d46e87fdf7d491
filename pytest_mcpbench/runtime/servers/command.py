"""What is run for a stdio server, and where."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef


def working_directory(ref: ServerRef, *, suite_directory: Path, default: Path) -> Path:
    """The configured directory, relative to the suite's, or the default.

    Raises:
        ServerError: it does not exist.
    """
    directory = suite_directory / ref.working_directory if ref.working_directory else default
    if not directory.is_dir():
        raise ServerError(f"its working directory {directory} does not exist", ref.name, "configure")
    return directory


def command_line(
    ref: ServerRef, environment: Mapping[str, str], *, directory: Path, suite_directory: Path
) -> tuple[str, ...]:
    """The command as an absolute path with its arguments.

    An argument that names a file of the suite's directory, and none of the working directory, is made absolute: a
    server that runs in a sandbox directory can be written ``python server.py``, as everywhere else.

    Raises:
        ServerError: there is no such command.
    """
    arguments = (_beside_the_suite(argument, directory, suite_directory) for argument in ref.arguments)
    return (_executable(ref, environment, directory, suite_directory), *arguments)


def _executable(ref: ServerRef, environment: Mapping[str, str], directory: Path, suite_directory: Path) -> str:
    command = str(ref.command)
    if os.sep not in command:
        found = shutil.which(command, path=environment.get("PATH"))
        where = "on PATH"
    else:
        found = next(filter(None, (shutil.which(str(start / command)) for start in (directory, suite_directory))), None)
        where = f"in {directory} or {suite_directory}" if not os.path.isabs(command) else "there"  # noqa: PTH117
    if found is None:
        raise ServerError(f"its command {command!r} was not found {where}, or cannot be executed", ref.name, "start")
    return found


def _beside_the_suite(argument: str, directory: Path, suite_directory: Path) -> str:
    candidate = suite_directory / argument
    if argument and _is_file(candidate) and not (directory / argument).exists():
        return str(candidate)
    return argument


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument that is no path at all: too long, or with a NUL
        return False
