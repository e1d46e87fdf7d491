"""Parsing of a server's command line into the Python code that it runs, so that the code can be forked."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef

_OPTIONS_WITH_VALUE = ("-W", "-X")


@dataclass(frozen=True)
class PythonCommand:
    """Parts of a command line that runs a Python module or script."""

    interpreter: str
    options: tuple[str, ...]
    """Options of the interpreter."""
    module: str | None
    script: str | None
    arguments: tuple[str, ...]
    """Arguments of the module or script."""


def python_command(ref: ServerRef, command: Sequence[str], directory: Path) -> PythonCommand:
    """Parse ``python [options] -m module …``, ``python [options] script …``, or the command of an installed script.

    Args:
        ref: Server that the command belongs to.
        command: Absolute path of the executable, followed by its arguments.
        directory: Directory to which a script's path is relative.

    Raises:
        ServerError: the command does not run Python code that can be forked.
    """
    executable, *rest = command
    if Path(executable).name.startswith("python"):
        return _parse_interpreter(ref, executable, rest, directory)
    interpreter = _shebang_interpreter(executable)
    if interpreter is None:
        raise _error(ref, f"{ref.command!r} is neither Python nor a script of an installed Python package")
    return PythonCommand(interpreter, (), None, executable, tuple(rest))


def _parse_interpreter(ref: ServerRef, interpreter: str, rest: Sequence[str], directory: Path) -> PythonCommand:
    options: list[str] = []
    words = iter(rest)
    for word in words:
        if word == "-m":
            return PythonCommand(interpreter, tuple(options), next(words, ""), None, tuple(words))
        if not word.startswith("-"):
            return PythonCommand(interpreter, tuple(options), None, str(directory / word), tuple(words))
        if word == "-c":
            break
        options += [word, next(words, "")] if word in _OPTIONS_WITH_VALUE else [word]
    raise _error(ref, "its command contains neither a script nor, after -m, a module")


def _shebang_interpreter(executable: str) -> str | None:
    """Return the Python interpreter in the first line of a script; ``None`` if there is none."""
    with suppress(OSError), Path(executable).open("rb") as file:
        line = file.readline(512).decode(errors="replace").strip()
        interpreter = line.removeprefix("#!").strip()
        # With a space it has arguments ("/usr/bin/env python"), or is not a path at all.
        if line.startswith("#!") and Path(interpreter).name.startswith("python") and " " not in interpreter:
            return interpreter
    return None


def _error(ref: ServerRef, problem: str) -> ServerError:
    return ServerError(f"it cannot be forked: {problem}; leave out `fork`", ref.name, "configure")
