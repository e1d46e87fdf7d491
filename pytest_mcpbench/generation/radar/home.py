"""The home directory in which the requests about files and commands are made: fresh copies of it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.directories import suite_directory

HOME = "/home/nora"
"""Path under which agents see it."""
FILES = suite_directory("radar") / "files" / "home"
"""The files that the directory is filled with."""


@contextmanager
def home_worlds(name: str) -> Iterator[Callable[[], World]]:
    """Makes worlds of a server, each on a copy of the files; the copies are gone on leaving."""
    with TemporaryDirectory(prefix="home-") as directory:
        made = 0

        def world() -> World:
            nonlocal made
            made += 1
            copy = Path(directory) / str(made)
            shutil.copytree(FILES, copy)
            return World(name, copy, DEFAULT_NOW, Ids("generation"))

        yield world
