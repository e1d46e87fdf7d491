"""Home directory for tasks about files and commands, of which every world gets a fresh copy."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.directories import suite_directory

HOME = "/home/nora"
"""Path under which agents see the directory."""
FILES = suite_directory("radar") / "files" / "home"
"""Files that the directory is filled with."""


@contextmanager
def home_worlds(name: str) -> Iterator[Callable[[], World]]:
    """Yield a function that creates worlds, each with its own copy of the files. The copies are deleted at the end."""
    with TemporaryDirectory(prefix="home-") as directory:
        copies = 0

        def world() -> World:
            nonlocal copies
            copies += 1
            copy = Path(directory) / str(copies)
            shutil.copytree(FILES, copy)
            return World(name, copy, DEFAULT_NOW, Ids("generation"))

        yield world
