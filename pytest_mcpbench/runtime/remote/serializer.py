"""From an attempt to what travels: a small request, and parcels that travel once to each process."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.attempt import Attempt
from pytest_mcpbench.runtime.remote import archive
from pytest_mcpbench.runtime.remote.messages import AttemptRequest, Common, digest_of
from pytest_mcpbench.runtime.servers.exposure import servers_needed

LARGEST_SUITE_BYTES = 64 * 2**20
"""Of the files of a suite's directory that travel."""


class LocalOnlyError(Exception):
    """An attempt that only this process can make; the text says why."""


@dataclass(frozen=True)
class Blob:
    """What several requests name by its digest."""

    content: bytes
    is_archive: bool
    """Of a suite's directory; else a :class:`Common` as JSON."""


class AttemptSerializer:
    """Packs attempts for other processes; keeps what several of them share.

    ``same_machine``: the other processes see the files that this one sees, so that none has to travel.
    """

    def __init__(self, *, same_machine: bool = False) -> None:
        self._same_machine = same_machine
        self._parcels: dict[str, Blob] = {}
        self._of_suites: dict[tuple[Any, ...], tuple[SuiteManifest, str]] = {}
        self._of_directories: dict[str, str] = {}

    def packed(self, attempt: Attempt) -> bytes:
        """The request, a :class:`AttemptRequest` as JSON.

        Raises:
            StaysError: another process cannot make it.
        """
        if attempt.components is None:
            raise LocalOnlyError(attempt.local_only_reason)
        servers = servers_needed(attempt.task, attempt.suite)
        for server in servers:
            _require_address(server)
        made = AttemptRequest(
            common=self._common(attempt), task=attempt.task, trial=attempt.trial, **self._places(attempt, servers)
        )
        return made.model_dump_json(exclude_unset=True).encode()

    def parcel(self, digest: str) -> Blob:
        """The parcel that a request names."""
        return self._parcels[digest]

    def _common(self, attempt: Attempt) -> str:
        assert attempt.components is not None
        key = (id(attempt.suite), attempt.model, attempt.components.model_dump_json())
        if key not in self._of_suites:
            suite = attempt.suite
            servers = {name: ref for name, ref in suite.servers.items() if _has_address(ref)}
            bare = suite.model_copy(update={"servers": servers, "files": suite.files[:1], "warnings": ()})
            common = Common(suite=bare, model=attempt.model, parts=attempt.components)
            # The suite is held on to, for its id to stay its own.
            self._of_suites[key] = (suite, self._kept(common.model_dump_json().encode(), is_archive=False))
        return self._of_suites[key][1]

    def _places(self, attempt: Attempt, servers: tuple[ServerRef, ...]) -> dict[str, str]:
        """Where the files of the suite and of the sandbox are."""
        if self._same_machine:
            return {"directory": attempt.suite.directory, "sandbox": str(attempt.sandbox.path)}
        return {"files": self._files(attempt.suite)} if _needs_files(attempt.task, attempt.suite, servers) else {}

    def _files(self, suite: SuiteManifest) -> str:
        if suite.directory not in self._of_directories:
            self._of_directories[suite.directory] = self._kept(_archive(suite), is_archive=True)
        return self._of_directories[suite.directory]

    def _kept(self, content: bytes, *, is_archive: bool) -> str:
        digest = digest_of(content)
        self._parcels[digest] = Blob(content, is_archive)
        return digest


def _archive(suite: SuiteManifest) -> bytes:
    directory = Path(suite.directory)
    tasks = [directory / file.path for file in suite.files]
    try:
        found = archive.travelling(directory, without=tasks)
        return archive.packed(directory, found, limit_bytes=LARGEST_SUITE_BYTES)
    except archive.TooLargeError:
        limit = LARGEST_SUITE_BYTES // 2**20
        raise LocalOnlyError(
            f"it needs files of {directory}, which holds more than {limit} MiB; "
            "put the suite into a directory of its own"
        ) from None


def _has_address(server: ServerRef) -> bool:
    return server.transport != "in_process" or isinstance(server.factory, str)


def _require_address(server: ServerRef) -> None:
    if not _has_address(server):
        raise LocalOnlyError(
            f"its server {server.name!r} is an object of this process; "
            'name it by its address, factory = "package.module:attribute"'
        )


def _needs_files(task: Task, suite: SuiteManifest, servers: tuple[ServerRef, ...]) -> bool:
    if task.context.files is not None:
        return True
    directory = Path(suite.directory)
    return any(_is_there(directory / name) for server in servers for name in _names_of_files(server))


def _names_of_files(server: ServerRef) -> Iterator[str]:
    """What a stdio server's definition may mean as a file or directory of the suite."""
    if server.transport != "stdio":
        return
    yield from filter(None, (server.working_directory, *server.arguments))
    if "/" in (server.command or ""):
        yield str(server.command)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # an argument that is no path at all: too long, or with a NUL
        return False
