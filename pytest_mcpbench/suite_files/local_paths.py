"""Paths of this machine in what a server says, and the placeholders that locks have in their place."""

import re
import tempfile
from pathlib import Path, PurePosixPath

from pytest_mcpbench.definitions.canonical import ServerDefinition

_PROJECT_MARKS = (".git", "pyproject.toml", "package.json")
_BEFORE = r"(?:(?<![\w./-])|(?<=://))"
"""Condition on the text before a path: `/projects/{project}` in a description names none."""


class LocalPaths:
    """Paths that differ from machine to machine, seen from the directory of a lock.

    The project is the nearest directory around it with ``.git``, ``pyproject.toml`` or ``package.json``.
    """

    def __init__(self, directory: Path) -> None:
        around = (directory.resolve(), *directory.resolve().parents)
        marked = (each for each in around if any((each / mark).exists() for mark in _PROJECT_MARKS))
        temporary = Path(tempfile.gettempdir())
        self._paths = {
            str(path): name
            for name, paths in {
                "{tmp}": (PurePosixPath("/tmp"), temporary, temporary.resolve()),
                "{home}": (Path.home(), Path.home().resolve()),
                "{project}": (next(marked, around[0]),),
            }.items()
            for path in paths
            if path != Path(path.anchor)
        }

    def without(self, definition: ServerDefinition) -> ServerDefinition:
        """Return what a client sees of a server with placeholders for the paths."""
        longest_first = sorted(self._paths, key=len, reverse=True)
        known = re.compile(rf"{_BEFORE}({'|'.join(map(re.escape, longest_first))})(?![\w-]|\.\w)")
        return definition.with_texts(lambda text: known.sub(lambda found: self._paths[found[1]], text))

    def filled(self, definition: ServerDefinition) -> ServerDefinition:
        """Return what a client sees of a server with the paths of this machine, as the server would say them."""
        paths: dict[str, str] = {}
        for path, name in self._paths.items():
            paths.setdefault(name, path)
        placeholder = re.compile(rf"{_BEFORE}(?:{'|'.join(map(re.escape, paths))})")
        return definition.with_texts(lambda text: placeholder.sub(lambda found: paths[found[0]], text))
