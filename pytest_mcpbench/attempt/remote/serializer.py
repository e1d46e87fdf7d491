"""Serialization of attempts: a small request for each, and blobs that are sent once to each worker."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.components import AttemptComponents
from pytest_mcpbench.attempt.remote.messages import AttemptContext, AttemptRequest, digest_of
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.files import archive
from pytest_mcpbench.servers.exposure import servers_needed
from pytest_mcpbench.text.normal_forms import replace_surrogates

LARGEST_SUITE_BYTES = 64 * 2**20
"""Maximum total size of a suite's files that are sent."""


class LocalOnlyError(Exception):
    """Error for an attempt that can only run in this process; the message is the reason."""


@dataclass(frozen=True)
class Blob:
    """Content that several requests refer to by its digest."""

    content: bytes
    is_archive: bool
    """``True`` for an archive of a suite's directory, ``False`` for an :class:`AttemptContext` as JSON."""


class AttemptSerializer:
    """Serializer of attempts for other processes, with a store of the blobs that its requests refer to.

    Args:
        same_machine: ``True`` if the other processes see the same files, so that none has to be sent.
    """

    def __init__(self, *, same_machine: bool = False) -> None:
        self.same_machine = same_machine
        self._blobs: dict[str, Blob] = {}
        self._contexts: dict[tuple[Any, ...], tuple[SuiteManifest, str]] = {}
        self._archives: dict[str, str] = {}
        """Digest of the archive by suite directory."""

    def serialize(self, attempt: Attempt) -> bytes:
        """Return an :class:`AttemptRequest` as JSON.

        Raises:
            LocalOnlyError: another process cannot run the attempt.
        """
        if attempt.components is None:
            raise LocalOnlyError(attempt.local_only_reason)
        plan = attempt.plan
        _require_portable_name(plan.suite.directory)
        servers = servers_needed(plan.task, plan.suite)
        for server in servers:
            _require_address(server)
        request = AttemptRequest(
            context=self._context(plan.suite, attempt.components),
            task=plan.task,
            description=plan.description,
            **self._file_fields(attempt, servers),
            **self._journal_fields(attempt),
        )
        # Without unset fields, to keep requests small: most fields of a task have their default.
        return request.model_dump_json(exclude_unset=True).encode()

    def blob(self, digest: str) -> Blob:
        """Return the blob that a request refers to."""
        return self._blobs[digest]

    def _context(self, suite: SuiteManifest, components: AttemptComponents) -> str:
        # By identity of the suite: to serialize it for each comparison would cost more than the request itself.
        key = (id(suite), components.model_dump_json())
        if key not in self._contexts:
            servers = {name: ref for name, ref in suite.servers.items() if _has_address(ref)}
            reduced = suite.model_copy(update={"servers": servers, "files": suite.files[:1], "warnings": ()})
            context = AttemptContext(suite=reduced, components=components)
            digest = self._store(context.model_dump_json().encode(), is_archive=False)
            # The suite is stored to keep it alive: the id of a freed object may be reused for another suite.
            self._contexts[key] = (suite, digest)
        return self._contexts[key][1]

    def _file_fields(self, attempt: Attempt, servers: tuple[ServerRef, ...]) -> dict[str, str]:
        """Return the fields of the request that locate the files of the suite and of the sandbox."""
        plan = attempt.plan
        if self.same_machine:
            return {"suite_directory": plan.suite.directory, "sandbox_directory": str(attempt.sandbox.path)}
        suite = plan.suite
        if _needs_files(plan.task, suite, servers):
            if suite.directory not in self._archives:
                self._archives[suite.directory] = self._store(_pack_suite(suite), is_archive=True)
            return {"archive": self._archives[suite.directory]}
        return {}

    def _journal_fields(self, attempt: Attempt) -> dict[str, Any]:
        if not self.same_machine or attempt.journal is None:
            return {}
        return {"journal_directory": str(attempt.journal.directory)}

    def _store(self, content: bytes, *, is_archive: bool) -> str:
        digest = digest_of(content)
        self._blobs[digest] = Blob(content, is_archive)
        return digest


def _pack_suite(suite: SuiteManifest) -> bytes:
    directory = Path(suite.directory)
    task_files = [directory / file.path for file in suite.files]
    try:
        paths = archive.portable_paths(directory, without=task_files)
        return archive.pack(directory, paths, limit_bytes=LARGEST_SUITE_BYTES)
    except archive.ArchiveTooLargeError:
        limit = LARGEST_SUITE_BYTES // 2**20
        raise LocalOnlyError(
            f"it needs files of {directory}, which contains more than {limit} MiB; "
            "move the suite into a directory of its own"
        ) from None


def _has_address(server: ServerRef) -> bool:
    return server.transport != "in_process" or isinstance(server.factory, str)


def _require_address(server: ServerRef) -> None:
    if not _has_address(server):
        raise LocalOnlyError(
            f"its server {server.name!r} is an object of this process; "
            'configure it by its address, factory = "package.module:attribute"'
        )


def _require_portable_name(directory: str) -> None:
    if directory != replace_surrogates(directory):
        raise LocalOnlyError(
            f"the name of its directory {os.fsencode(directory)!r} is not UTF-8, and requests cannot hold it; "
            "rename the directory"
        )


def _needs_files(task: Task, suite: SuiteManifest, servers: tuple[ServerRef, ...]) -> bool:
    if isinstance(task.context.files, str) or isinstance(task.context.git, str):
        return True
    directory = Path(suite.directory)
    return any(_exists(directory / name) for server in servers for name in _possible_paths(server))


def _possible_paths(server: ServerRef) -> Iterator[str]:
    """Yield the strings of a stdio server's configuration that may be paths relative to the suite's directory."""
    if server.transport != "stdio":
        return
    yield from filter(None, (server.working_directory, *server.arguments))
    if "/" in (server.command or ""):
        yield str(server.command)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # an argument that is not a path at all: too long, or with a NUL character
        return False
