"""Detection of state that attempts share unnoticed: files outside of their directories, and variables of a module.

A server that keeps its data beside its own program, or in variables of its module, shows one attempt the writes of
another. Both are looked at before and after an attempt; what changed is reported.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.server_connection import ServerConnection

_MOST_FILES = 2000
_MOST_ITEMS = 2000
_DEEPEST = 5
_NO_STATE = (".log", ".pyc", ".pid", ".lock")
_OWN_PACKAGE = "pytest_mcpbench."

Stamps = Mapping[str, tuple[int, int]]


class StateWatch:
    """Watch over the shared state of an attempt's servers; it begins when it is made."""

    def __init__(self, connections: Iterable[ServerConnection], sandbox: Path) -> None:
        private = [each for each in connections if not each.ref.is_shared]
        self._directories = {each.ref.name: list(_directories(each, sandbox)) for each in private}
        self._modules = {each.ref.name: module for each in private if (module := _module(each.ref)) is not None}
        self._files_before = self._files()
        self._variables_before = self._variables()

    def warnings(self) -> list[str]:
        """Return a warning for each file and variable that has changed since the watch began."""
        warnings = []
        changed = {name: _changed(self._files_before[name], stamps) for name, stamps in self._files().items()}
        ours = _files_of_session() if any(changed.values()) else frozenset()
        for name, paths in changed.items():
            for path in sorted(path for path in paths if _identity(path) not in ours):
                warnings.append(
                    f"server {name!r} keeps state in {path}, outside of the attempt's directory, so that attempts see "
                    "each other's writes. Pass it a path in {sandbox}, or undo the writes with `reset:`."
                )
        for name, states in self._variables().items():
            for variable in _changed(self._variables_before[name], states):
                warnings.append(
                    f"server {name!r} keeps state in the variable {variable!r} of its module, so that attempts see "
                    "each other's writes. Let a factory function make a server with its own state for each attempt, or "
                    "undo the writes with `reset:`."
                )
        return warnings

    def _files(self) -> dict[str, Stamps]:
        return {name: dict(_stamps(directories)) for name, directories in self._directories.items()}

    def _variables(self) -> dict[str, dict[str, Any]]:
        """Return a comparable copy of the data in the variables of each module."""
        states = {}
        for name, module in self._modules.items():
            budget = iter(range(_MOST_ITEMS))
            states[name] = {
                variable: _state(value, module.__name__, budget, 0)
                for variable, value in vars(module).items()
                if not variable.startswith("__") and _is_data(value, module.__name__)
            }
        return states


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [name for name, state in after.items() if state != before.get(name)]


def _directories(connection: ServerConnection, sandbox: Path) -> Iterator[Path]:
    """Yield the directories of a server's program and its configured working directory, outside of the sandbox."""
    words = [str(connection.ref.command or ""), *connection.ref.arguments, *_words_of_processes(connection.pid)]
    paths = {Path(word).resolve().parent for word in dict.fromkeys(words) if os.sep in word and _is_file(word)}
    directories = {*paths, *([connection.directory] if connection.directory else [])}
    yield from (path for path in sorted(directories) if not path.is_relative_to(sandbox.resolve()))


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_absolute() and Path(word).is_file()
    except (OSError, ValueError):
        return False


def _words_of_processes(leader: int | None) -> Iterator[str]:
    """Yield the arguments of the processes of a session: ``npx`` and its like start the program in a child."""
    if sys.platform == "win32" or leader is None or not Path("/proc/self/stat").exists():
        return
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(directory.name)) == leader:
                yield from (directory / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:  # the process has ended
            continue


def _stamps(directories: Iterable[Path]) -> Iterator[tuple[str, tuple[int, int]]]:
    for directory in directories:
        try:
            with os.scandir(directory) as entries:
                for entry in islice(entries, _MOST_FILES):
                    if not entry.name.endswith(_NO_STATE) and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        yield entry.path, (status.st_size, status.st_mtime_ns)
        except OSError:
            continue


def _files_of_session() -> frozenset[tuple[int, int]]:
    """Return the files that pytest, its workers and the programs of its pipe have open, such as the log of the run.

    Servers have sessions of their own. Empty where there is no ``/proc``.
    """
    if sys.platform == "win32":
        return frozenset()
    found = set()
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if os.getsid(int(directory.name)) == os.getsid(0):
                found |= {_identity(link) for link in (directory / "fd").iterdir()}
        except OSError:  # the process has ended, or belongs to somebody else
            continue
    return frozenset(identity for identity in found if identity is not None)


def _identity(path: str | Path) -> tuple[int, int] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _module(ref: ServerRef) -> ModuleType | None:
    """Return the module of a server in this process; ``None`` for servers of this package, which have worlds."""
    if ref.transport != "in_process":
        return None
    name = ref.factory.partition(":")[0] if isinstance(ref.factory, str) else getattr(ref.factory, "__module__", "")
    return None if str(name).startswith(_OWN_PACKAGE) else sys.modules.get(str(name))


def _is_data(value: Any, module: str) -> bool:
    is_own_object = type(value).__module__ == module and hasattr(value, "__dict__")
    return isinstance(value, dict | list | set | tuple | str | int | float | bytearray) or is_own_object


def _state(value: Any, module: str, budget: Iterator[int], depth: int) -> Any:
    if next(budget, None) is None or depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return [(str(key), _state(part, module, budget, depth + 1)) for key, part in list(value.items())]
    if isinstance(value, list | tuple):
        return [_state(part, module, budget, depth + 1) for part in list(value)]
    if isinstance(value, set | frozenset):
        return sorted(map(str, list(value)))
    if isinstance(value, str | int | float | bool | bytes | bytearray) or value is None:
        return bytes(value) if isinstance(value, bytearray) else value
    if type(value).__module__ == module and hasattr(value, "__dict__"):
        return _state(vars(value), module, budget, depth + 1)
    return type(value).__name__
