"""Sandbox of an attempt: a temporary directory, seeded with the task's files and removed afterwards."""

import functools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Sandbox, parse_clock
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.snapshot import snapshot


@contextmanager
def open_sandbox(task: Task, suite_directory: Path | str, root: Path | str | None = None) -> Iterator[Sandbox]:
    """Create a sandbox directory for one attempt at a task, and remove it at the end.

    Args:
        task: Task whose ``context.files``, a directory relative to the suite's, is copied into the sandbox.
        suite_directory: Directory of the suite.
        root: Parent of the sandbox directory; by default the system's directory for temporary files.
    """
    parent = root or tempfile.gettempdir()
    Path(parent).mkdir(parents=True, exist_ok=True)
    # Without links, because servers compare paths with the real path of their root, and on macOS /tmp is a link.
    directory = _real_path(parent) / Path(tempfile.mkdtemp(prefix=f"{task.id[:40]}-", dir=parent)).name
    try:
        _copy_seed(task, Path(suite_directory), directory)
        yield sandbox_in(directory, task)
    finally:
        _remove(directory)


@contextmanager
def open_empty_sandbox(root: Path) -> Iterator[Sandbox]:
    """Create a sandbox directory below ``root`` that belongs to no attempt, and remove it at the end."""
    directory = Path(tempfile.mkdtemp(dir=root)).resolve()
    try:
        yield Sandbox(path=directory, files=DirectoryFiles(directory))
    finally:
        _remove(directory)


def sandbox_in(directory: Path, task: Task) -> Sandbox:
    """Return the sandbox of an attempt in an existing directory, which keeps its files."""
    return Sandbox(
        path=directory,
        now=parse_clock(task.context.now),
        identity=task.id,
        seeds=task.context.seeds,
        has_public_seeds=task.context.is_public,
        checks=task.expected.state,
        files=DirectoryFiles(directory),
    )


_SURE_SECONDS = 0.1
"""Age from which a file's time of change tells of every later change; clocks of file systems have coarse ticks."""

Stamps = dict[str, tuple[int, int, int, int]]


class DirectoryFiles:
    """Content of a directory as a tree: before the attempt and now.

    Reading every file again is dear, so a tree that exists is used as long as no file has another size, inode or time.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._looked_at = time.time()
        self._stamps = _stamps(directory)
        self.before = snapshot(directory)

    def start(self) -> None:
        """Take the present content as that before the attempt, because servers may write files when they start."""
        looked_at, stamps = time.time(), _stamps(self._directory)
        if stamps != self._stamps:
            self.before = snapshot(self._directory)
        self._looked_at, self._stamps = looked_at, stamps

    def after(self) -> ContextTree:
        """Return the present content of the directory."""
        stamps = _stamps(self._directory)
        newest = max((changed for *_, changed in stamps.values()), default=0) / 1e9
        # A change within the tick in which the stamps were taken would leave them as they are.
        is_unchanged = stamps == self._stamps and newest < self._looked_at - _SURE_SECONDS
        return self.before if is_unchanged else snapshot(self._directory)


def _stamps(directory: Path) -> Stamps:
    """Return size, inode and times of modification and change of everything below a directory, by path."""
    found: Stamps = {}
    for parent, directories, files in os.walk(directory):
        for name in (*directories, *files):
            path = f"{parent}{os.sep}{name}"
            status = os.lstat(path)
            found[path] = (status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    return found


@functools.lru_cache(maxsize=8)
def _real_path(path: Path | str) -> Path:
    return Path(path).resolve()


def _copy_seed(task: Task, suite_directory: Path, directory: Path) -> None:
    if task.context.files is None:
        return
    source = suite_directory / task.context.files
    if not source.is_dir():
        raise SandboxError(f"task {task.id!r}: context.files names {source}, which is not a directory.")
    shutil.copytree(source, directory, dirs_exist_ok=True, symlinks=True)


def _remove(directory: Path) -> None:
    """Remove a directory with its content."""
    # Most attempts leave their directory empty; then one system call does, without listing it.
    try:
        directory.rmdir()
    except OSError:
        shutil.rmtree(directory, ignore_errors=True)
