"""``mcpbench lock``: write what clients see of a server to ``tools.lock.json``, or check it."""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import anyio

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.findability import recall_changes
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lock import Lock, make_lock
from pytest_mcpbench.definitions.lock_check import ACCEPT, LockCheck, check_lock, report_lines
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.locks import (
    LocalPaths,
    conflicted_lock_of,
    lock_of,
    locks_without_server,
    new_lock_file,
    write_lock_file,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)
    parser.add_argument(
        "--accept", action="store_true", help="also write breaking changes, and changed texts that were not measured"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit code 1 if a lock is missing or must be written"
    )


def run(options: argparse.Namespace) -> int:
    if options.check and options.accept:
        raise UsageError("--check writes nothing, so that --accept has no effect; name one of them.")
    import_from_working_directory()
    servers = selected_servers(options)
    outcomes: list[_Outcome] = anyio.run(_outcomes, servers, options)
    if not options.servers:
        # All servers are looked at, so that a lock without one is left over.
        there_are = ", ".join(server.name for server in servers)
        for file, name in locks_without_server(servers, options.directory.resolve()).items():
            problem = f"the file is a lock of the server {name!r}, which nothing defines; there are: {there_are}."
            outcomes.append(_Outcome(f"{_shown(file)}: {problem} Delete it, or define the server.", exit_code=1))
    for outcome in outcomes:
        print(outcome.text, file=sys.stderr if outcome.exit_code else sys.stdout)
    return max(outcome.exit_code for outcome in outcomes)


@dataclass(frozen=True)
class _Outcome:
    text: str
    exit_code: int = 0


async def _outcomes(servers: list[ConfiguredServer], options: argparse.Namespace) -> list[_Outcome]:
    async with ServerPool(root=Path.cwd()) as pool:
        # Locks with conflicts are written first, because nobody can look for another lock beside one.
        first = sorted(servers, key=lambda server: not options.accept or conflicted_lock_of(server) is None)
        return [await _outcome(server, servers, pool, options) for server in first]


async def _outcome(
    server: ConfiguredServer, servers: list[ConfiguredServer], pool: ServerPool, options: argparse.Namespace
) -> _Outcome:
    """Return the outcome for one server; the others are not affected by its errors."""
    try:
        definition = known_secrets().remove_from_definition(await pool.definition(server.ref))
        conflicted = conflicted_lock_of(server) if options.accept else None
        if conflicted is not None:
            lock = _lock_in(conflicted.parent, server, definition)
            write_lock_file(conflicted, lock)
            return _Outcome(f"{_shown(conflicted)}: {_size(lock)}, written in place of the conflicts of a merge")
        found = lock_of(server)
        if found is None:
            neighbours = [other for other in servers if other.directory == server.directory]
            lock = _lock_in(server.directory, server, definition)
            file = new_lock_file(server, is_only=neighbours == [server])
            if options.check:
                return _Outcome(f"{_shown(file)}: {lock.server!r} has no lock; `mcpbench lock` writes it.", exit_code=1)
            write_lock_file(file, lock)
            return _Outcome(f"{_shown(file)}: {_size(lock)}")
        file, locked = found
        paths = LocalPaths(file.parent)
        before, now = paths.without(locked.definition), paths.without(definition)
        check = check_lock(locked, before, now, _shown(file))
        lock = _lock_in(file.parent, server, definition, locked.file)
        recall = [] if check.is_current else await recall_changes(server, before, now)
        return _checked_lock(check, lock, recall, file, options)
    except McpBenchError as error:
        return _Outcome(f"mcpbench: {error}", exit_code=2)


def _lock_in(directory: Path, server: ConfiguredServer, definition: ServerDefinition, named: str | None = None) -> Lock:
    """Return the lock of a server for a directory; it goes on naming a file that still defines the server."""
    files = [file.name for file in server.files if file.parent == directory]
    names = {"server": server.id_in(directory), "file": named if named in files else files[0]}
    return make_lock(LocalPaths(directory).without(definition)).model_copy(update=names)


def _checked_lock(
    check: LockCheck, lock: Lock, recall: Iterable[str], file: Path, options: argparse.Namespace
) -> _Outcome:
    """Return the outcome for a server with a lock, which becomes ``lock`` unless something must be accepted."""
    if check.is_current:
        if (lock.file, lock.definition) != (check.lock.file, check.lock.definition) and not options.check:
            write_lock_file(file, lock)
        return _Outcome(f"{check.file}: {_size(check.lock)}, unchanged")
    if check.must_be_accepted() and not options.accept:
        return _Outcome("\n".join((*report_lines(check), *map("  {}".format, recall))), exit_code=1)
    lines = [*(line for line in report_lines(check) if ACCEPT not in line), *map("  {}".format, recall)]
    if not options.check:
        write_lock_file(file, lock)
        lines.append(f"  written: {_size(lock)}")
    return _Outcome("\n".join(lines))


def _size(lock: Lock) -> str:
    count = "1 tool" if len(lock.tools) == 1 else f"{len(lock.tools)} tools"
    return f"{lock.server}: {count}, about {lock.tokens} tokens"


def _shown(file: Path) -> str:
    directory = Path.cwd()
    return str(file.relative_to(directory)) if file.is_relative_to(directory) else str(file)
