"""Servers that a project's task files, ``suite.toml`` and ``mcp.json`` define."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import STANDALONE_PATTERNS, mcp_json_files
from pytest_mcpbench.runtime.suites import server_paths
from pytest_mcpbench.runtime.suites.loading import BUILT_IN_NAMES, KnownNames, read_suite
from pytest_mcpbench.runtime.suites.server_ids import server_ids

_SUITE_FILE = "suite.toml"
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist"})


@dataclass(frozen=True)
class ConfiguredServer:
    """A server with the files that define or use it."""

    name: str
    """Its name, or that of its program if a task file defines it with ``server:``."""
    ref: ServerRef
    """Its relative paths start from an absolute directory."""
    files: tuple[Path, ...]
    """Files of suites come before an ``mcp.json``."""

    @property
    def directory(self) -> Path:
        """Return the directory to which files about the server belong."""
        return self.files[0].parent


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
    return [
        ConfiguredServer(name, ref, tuple(dict.fromkeys(file for file, other in definitions if other == ref)))
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
