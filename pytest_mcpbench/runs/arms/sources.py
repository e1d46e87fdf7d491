"""Sources of an arm: locks of a commit, lock files, an earlier run, or the command of an earlier server."""

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_mcpbench.core.arm import Arm
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.definitions.lock import LOCK_ENDING, Lock, read_lock
from pytest_mcpbench.loaders.field_errors import FieldError
from pytest_mcpbench.loaders.mcp_json import server_from_line
from pytest_mcpbench.runs.arms.recorded_run import RecordedRun
from pytest_mcpbench.suite_files.configured_servers import ids_in_locks
from pytest_mcpbench.suite_files.locks import LocalPaths
from pytest_mcpbench.text.natural_order import natural_key

# Files of an earlier commit, read from git without a checkout.

_SECONDS = 60


def files_at(reference: str, directory: Path, ending: str) -> dict[Path, str]:
    """Return the files of a commit whose names have an ending, by their paths in the working tree.

    Args:
        reference: Branch, tag or commit.
        directory: Any directory of the repository.
        ending: End of the file names.

    Raises:
        UsageError: there is no git, no repository, or no such reference.
    """
    root = Path(_git(directory, "rev-parse", "--show-toplevel").strip())
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    except UsageError:
        raise UsageError(
            f"git has no reference {reference!r} in {root}. A CI job may have to fetch it first, for example with "
            "`git fetch --depth=1 origin main:refs/remotes/origin/main`."
        ) from None
    commit = found.strip()
    names = _git(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")
    return {root / name: _git(root, "show", f"{commit}:{name}") for name in names if name.endswith(ending)}


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("the program git was not found") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {arguments[0]} did not end within {_SECONDS} seconds in {directory}") from None
    if done.returncode:
        reason = done.stderr.strip().splitlines()
        raise UsageError(f"git {arguments[0]} failed in {directory}: {reason[-1] if reason else 'no reason given'}")
    return done.stdout


GIT = "git:"
SERVER = "server:"


@dataclass(frozen=True)
class ArmSource:
    """Definitions from which the arm of each suite is made."""

    text: str
    """As the user wrote it."""
    locks: Mapping[Path, Lock] = field(default_factory=dict)
    """Locks by their files."""
    command: str | None = None
    """Command of the server to run, in place of locks."""
    run: RecordedRun | None = None
    """Earlier run, whose attempts are the first trials of the arm."""

    def arm(self, name: str, suite: SuiteManifest, file: Path) -> Arm:
        """Return the arm of a suite and its file; raise UsageError if the source has none of its servers."""
        if self.command is not None:
            return Arm(name, servers=self._server(self.command, suite), source=self.text)
        if self.run is not None:
            read = self.run.instructions_of(suite)
            return Arm(name, shown_tools=self.run.tools_of(suite), shown_instructions=read, source=self.text)
        locks = {server: lock for server in suite.servers if (lock := self._lock_of(server, suite, file)) is not None}
        if not locks:
            servers = ", ".join(map(repr, suite.servers)) or "no server"
            there_are = ", ".join(sorted({lock.server for lock in self.locks.values()}, key=natural_key))
            raise UsageError(
                f"the locks are of {there_are}, and suite {suite.name!r} has {servers}: name the locks of its servers"
            )
        paths = LocalPaths(file.parent)
        locked = {server: paths.filled(lock.definition) for server, lock in locks.items()}
        shown = {server: tuple(tool.spec(server) for tool in each.tools) for server, each in locked.items()}
        read = {server: each.instructions for server, each in locked.items()}
        return Arm(name, shown_tools=shown, shown_instructions=read, source=self.text)

    def _server(self, command: str, suite: SuiteManifest) -> dict[str, ServerRef]:
        """Return the server that the command starts, with everything else as in the suite."""
        name, _, line = command.partition("=") if command.partition("=")[0] in suite.servers else ("", "", command)
        names = [name] if name else [*suite.servers]
        if len(names) != 1:
            there_are = ", ".join(suite.servers) or "none"
            raise UsageError(
                f"suite {suite.name!r} has several servers or none: write server:NAME=COMMAND ({there_are})"
            )
        now = suite.servers[names[0]]
        try:
            fields = server_from_line(now.name, line)
        except FieldError as error:
            raise UsageError(str(error)) from None
        kept = now.model_dump(
            include={
                "environment",
                "working_directory",
                "definition_directory",
                "state",
                "mode",
                "sequential",
                "timeouts",
            }
        )
        return {now.name: ServerRef.model_validate({**kept, **fields, "name": now.name})}

    def _lock_of(self, server: str, suite: SuiteManifest, file: Path) -> Lock | None:
        """Return the lock of a server that is nearest to the suite's file; any lock for the only server and file."""
        for name in ids_in_locks(file, suite.servers[server]):
            found = [path for path, lock in self.locks.items() if lock.server == name]
            if found:
                return self.locks[_nearest(found, file.resolve().parent, server)]
        is_only_choice = len(self.locks) == len(suite.servers) == 1
        return next(iter(self.locks.values())) if is_only_choice else None


def read_source(text: str, *, root: Path, directory: Path) -> ArmSource:
    """Return the source that ``git:REF``, ``server:COMMAND`` or the path of a directory or file means.

    Args:
        text: Value of ``--mcpbench-baseline``, or the part of ``--mcpbench-arm`` behind the name.
        root: Directory in the repository of ``git:REF``.
        directory: Base of relative paths.

    Raises:
        UsageError: there is nothing of the kind.
    """
    if text.startswith(SERVER):
        return ArmSource(text, command=_required(text.removeprefix(SERVER), 'server:"uvx my-server==1.2"'))
    if text.startswith(GIT):
        reference = _required(text.removeprefix(GIT), "git:origin/main")
        return ArmSource(text, _locks(files_at(reference, root, LOCK_ENDING).items(), f"{reference} has"))
    path = directory / text
    try:
        if (path / "run.json").is_file():
            return ArmSource(text, run=RecordedRun.read(path))
        if path.is_dir():
            found = sorted(file for file in path.rglob(f"*{LOCK_ENDING}") if file.is_file())
            files = ((file, file.read_text(encoding="utf-8", errors="surrogateescape")) for file in found)
            return ArmSource(text, _locks(files, f"{path} holds no run and"))
        if path.is_file():
            return ArmSource(text, _locks([(path, path.read_text(encoding="utf-8", errors="surrogateescape"))], ""))
        raise UsageError(f"there is no file or directory {path}; a commit is written git:REF, a command server:COMMAND")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _locks(files: Iterable[tuple[Path, str]], owner: str) -> dict[Path, Lock]:
    try:
        locks = {path: read_lock(text, str(path)) for path, text in files}
    except McpBenchError as error:
        raise UsageError(str(error)) from None
    if not locks:
        raise UsageError(f"{owner} no *{LOCK_ENDING}. `mcpbench lock` writes one for each server; commit them.")
    return locks


def _required(value: str, example: str) -> str:
    if not value.strip() or value.startswith("-"):
        raise UsageError(f"nothing follows the colon; write for example {example}")
    return value.strip()


def _nearest(locks: Iterable[Path], directory: Path, server: str) -> Path:
    """Return the lock that is nearest to a directory; raise UsageError if two are."""
    by_distance: dict[int, list[Path]] = {}
    for path in locks:
        own, other = path.parent.parts, directory.parts
        common = sum(left == right for left, right in zip(own, other, strict=False))
        steps = len(own) + len(other) - 2 * common
        by_distance.setdefault(steps, []).append(path)
    nearest = by_distance[min(by_distance)]
    if len(nearest) > 1:
        raise UsageError(f"several locks are of {server!r}: {', '.join(map(str, nearest))}; name one of them")
    return nearest[0]
