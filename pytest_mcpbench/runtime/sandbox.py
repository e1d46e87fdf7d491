"""Sandbox of an attempt: a temporary directory, seeded with the task's files and removed afterwards."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Sandbox, parse_clock
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.snapshot import entries, snapshot


@contextmanager
def open_sandbox(task: Task, suite_directory: Path | str, root: Path | str | None = None) -> Iterator[Sandbox]:
    """Create a sandbox directory for one attempt at a task, and remove it at the end.

    Args:
        task: Task whose ``context.files``, a directory relative to the suite's, is copied into the sandbox.
        suite_directory: Directory of the suite.
        root: Parent of the sandbox directory; by default the system's directory for temporary files.
    """
    if root is not None:
        Path(root).mkdir(parents=True, exist_ok=True)
    # Resolved, because servers compare paths with the real path of their root (on macOS /tmp is a symbolic link).
    directory = Path(tempfile.mkdtemp(prefix=f"{task.id[:40]}-", dir=root)).resolve()
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


class DirectoryFiles:
    """Content of a directory as a tree: before the attempt and now."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._stamps = _stamps(directory)
        self.before = snapshot(directory)

    def start(self) -> None:
        """Take the present content as that before the attempt, because servers may write files when they start."""
        stamps = _stamps(self._directory)
        if stamps != self._stamps:  # reading every file again is dear
            self._stamps, self.before = stamps, snapshot(self._directory)

    def after(self) -> ContextTree:
        """Return the present content of the directory."""
        return snapshot(self._directory)


def _stamps(directory: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of modification of everything below a directory, by path."""
    return {
        str(path): (status.st_size, status.st_mtime_ns) for path in entries(directory) for status in (path.lstat(),)
    }


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
