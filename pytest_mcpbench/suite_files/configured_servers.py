"""Servers that a project's task files, ``suite.toml`` and ``mcp.json`` define."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.lock import LOCK_ENDING, server_and_file_of
from pytest_mcpbench.loaders.manifest import UNNAMED, mcp_json_files
from pytest_mcpbench.suite_files import server_paths
from pytest_mcpbench.suite_files.discovery import STANDALONE_PATTERNS
from pytest_mcpbench.suite_files.loading import BUILT_IN_NAMES, KnownNames, read_suite

# Ids of servers among the parameters of a test, which name its snapshots.
#
# An id depends on the files of its directory alone: `mcpbench lock` on a whole project and a lock as an item of pytest
# call a server alike. Of several servers with one name, a lock says which has it, so that a further file changes no id.

_LAUNCHERS = ("python", "node", "npx", "uvx", "uv", "pipx", "bunx", "bun", "deno", "docker", "java", "ruby")
_SUBCOMMANDS = ("run", "exec", "tool", "dlx")
_NOT_IN_AN_ID = re.compile(r"[^\w.-]+")


def server_ids(definitions: Iterable[tuple[Path, ServerRef]]) -> dict[str, ServerRef]:
    """Return the servers that files define by id, each definition once.

    A server's id is its name; the only server of a file, which has none, is called by its program. Of several servers
    with the same id one keeps it, that of the file which a lock names, or else the first; the others get the names of
    their files, too.
    """
    definitions = list(definitions)
    locked: set[tuple[str, Path]] = set()
    for directory in {file.parent for file, _ in definitions}:
        for lock in directory.glob(f"*{LOCK_ENDING}"):
            locked_id, source = server_and_file_of(lock.read_text(encoding="utf-8", errors="replace"))
            if locked_id is not None and source is not None:
                locked.add((locked_id, directory / source))
    servers: dict[str, ServerRef] = {}
    for has_lock in (True, False):
        for file, ref in definitions:
            labels = (label for label in _labels(file, ref) if not has_lock or (label, file) in locked)
            label = next((label for label in labels if label not in servers), None)
            if label is not None and ref not in servers.values():
                servers[label] = ref
    return dict(sorted(servers.items(), key=lambda each: [ref for _, ref in definitions].index(each[1])))


def ids_in_locks(file: Path, ref: ServerRef) -> tuple[str, ...]:
    """Return the ids that the lock of a server of a file may name, the most specific first."""
    label, with_file = islice(_labels(file, ref), 2)
    return with_file, label


def _labels(file: Path, ref: ServerRef) -> Iterator[str]:
    label = ref.name if ref.name != UNNAMED else _NOT_IN_AN_ID.sub("-", _program(ref)).strip("-.") or UNNAMED
    yield label
    yield f"{label}@{file.name.split('.mcpbench.')[0]}"
    yield from (f"{label}@{file.name}-{number}" for number in range(2, 1000))


def _program(ref: ServerRef) -> str:
    """Return what identifies a server to a reader; never an argument that could be a secret."""
    if ref.transport == "in_process":
        return ref.factory if isinstance(ref.factory, str) else ref.name
    if ref.url is not None:
        return urlsplit(ref.url).hostname or ""
    program, arguments = PurePath(str(ref.command)).name, list(ref.arguments)
    if program == "env":
        while arguments and "=" in arguments[0]:
            arguments.pop(0)
        program = PurePath(arguments.pop(0)).name if arguments else program
    if program.rstrip("0123456789.") not in _LAUNCHERS:
        return program
    words = (word for word in arguments if not word.startswith("-") and word not in _SUBCOMMANDS)
    return PurePath(next(words, program)).name


_SUITE_FILE = "suite.toml"
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist"})


@dataclass(frozen=True)
class ConfiguredServer:
    """A server with the files that define or use it."""

    name: str
    """Its name, or that of its program if a task file defines it with ``server:``; no other server has it."""
    ref: ServerRef
    """Its relative paths start from an absolute directory."""
    files: tuple[Path, ...]
    """Files of suites come before an ``mcp.json``."""
    ids: Mapping[Path, str] = field(default_factory=dict)
    """Its id in each directory of its files, if it is not its name: servers of other directories may have it, too."""

    @property
    def directory(self) -> Path:
        """Return the directory to which files about the server belong."""
        return self.files[0].parent

    def id_in(self, directory: Path) -> str:
        """Return the name of the server in a lock of a directory."""
        return self.ids.get(directory, self.name)


def servers_below(root: Path, names: KnownNames = BUILT_IN_NAMES) -> list[ConfiguredServer]:
    """Return the servers of a directory and of all directories below it, without hidden and installed ones."""
    directories = list(project_directories(root))
    files = [
        file for find in (_files_of_suites, mcp_json_files) for directory in directories for file in find(directory)
    ]
    return _servers(files, names)


def servers_in(directory: Path, names: KnownNames = BUILT_IN_NAMES) -> list[ConfiguredServer]:
    """Return the servers that the files of one directory define, each once. Raises TaskError if a file is broken."""
    return _servers([*_files_of_suites(directory), *mcp_json_files(directory)], names)


def servers_of_file(file: Path, names: KnownNames = BUILT_IN_NAMES) -> Mapping[str, ServerRef]:
    """Return the servers that a suite.toml, a task file or an ``mcp.json`` defines; their paths are absolute."""
    if file.name.endswith("mcp.json"):
        return server_paths.servers_of_mcp_json(file, names.root or Path.cwd())
    suite = read_suite(file, names)
    return {name: server_paths.absolute(ref, Path(suite.directory)) for name, ref in suite.servers.items()}


def _servers(files: Iterable[Path], names: KnownNames) -> list[ConfiguredServer]:
    definitions = [(file, ref) for file in files for ref in servers_of_file(file, names).values()]
    directories = dict.fromkeys(file.parent for file, _ in definitions)
    ids = {
        directory: server_ids(each for each in definitions if each[0].parent == directory) for directory in directories
    }
    return [
        ConfiguredServer(
            name,
            ref,
            tuple(dict.fromkeys(file for file, other in definitions if other == ref)),
            {directory: label for directory, known in ids.items() for label, other in known.items() if other == ref},
        )
        for name, ref in server_ids(definitions).items()
    ]


def _files_of_suites(directory: Path) -> list[Path]:
    tasks = sorted({file for pattern in STANDALONE_PATTERNS for file in directory.glob(pattern)})
    suite = directory / _SUITE_FILE
    return [suite, *tasks] if suite.is_file() else tasks


def project_directories(root: Path) -> Iterator[Path]:
    """Yield a directory and those below it, without hidden ones, virtual environments and installed packages."""
    for directory, below, files in os.walk(root):
        if "pyvenv.cfg" in files:
            below.clear()
            continue
        below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
        yield Path(directory)
