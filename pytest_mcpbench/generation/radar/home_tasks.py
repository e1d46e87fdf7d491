"""Domains file management and terminal: operations in a home directory, whose requests ignore the seed."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.directories import suite_directory
from pytest_mcpbench.generation.radar.request import RadarRequest, check_reference_calls, read_requests
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.terminal.server import simulation as terminal
from pytest_mcpbench.simulated.terminal.world import TerminalMachine

# Home directory for tasks about files and commands, of which every world gets a fresh copy.

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


def file_requests() -> list[RadarRequest]:
    """Return the requests about files, after checking that a fresh home directory accepts their reference calls."""
    requests = read_requests("files.yaml")
    with home_worlds("files") as world:
        check_reference_calls(requests, files(HOME), world)
    return requests


def terminal_requests() -> list[RadarRequest]:
    """Return the requests to the terminal, after checking that a fresh machine accepts their reference calls."""
    with home_worlds("terminal") as world:

        def pid_of(command: str) -> int:
            return TerminalMachine(world(), HOME).start(command, 0, "/bin/sh").pid

        requests = read_requests("terminal.yaml", {"pid_of": pid_of})
        check_reference_calls(requests, terminal(HOME), world)
    return requests
