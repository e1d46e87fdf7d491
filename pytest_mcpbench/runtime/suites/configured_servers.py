"""Servers that a directory's task files, ``suite.toml`` and ``mcp.json`` define."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import STANDALONE_PATTERNS
from pytest_mcpbench.loaders.mcp_json import read_mcp_json
from pytest_mcpbench.runtime.suites.loading import BUILT_IN_NAMES, KnownNames, read_suite

MCP_JSON_FILES = ("mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
_SUITE_FILE = "suite.toml"
_ANONYMOUS = "server"
"""Name of a server that a task file defines with ``server:``."""
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist"})


@dataclass(frozen=True)
class ConfiguredServer:
    """A server with the files of one directory that define it."""

    names: tuple[str, ...]
    """Names under which a lock may have it; the first one is used in a new lock."""
    ref: ServerRef
    directory: Path
    """Base of its relative paths."""
    files: tuple[Path, ...]

    @property
    def name(self) -> str:
        return self.names[0]


def servers_below(root: Path, names: KnownNames = BUILT_IN_NAMES) -> list[ConfiguredServer]:
    """Return the servers of a directory and of all directories below it, without hidden and installed ones."""
    return [server for directory in _directories(root) for server in servers_in(directory, names)]


def servers_in(directory: Path, names: KnownNames = BUILT_IN_NAMES) -> list[ConfiguredServer]:
    """Return the servers that the files of one directory define; a server that several files define is one.

    A server that a task file defines with ``server:`` has the name of the file. Raises TaskError if a file is broken.
    """
    files: defaultdict[str, list[Path]] = defaultdict(list)
    labels: defaultdict[str, dict[str, None]] = defaultdict(dict)
    refs: dict[str, ServerRef] = {}
    for file in _sources(directory):
        for ref in _servers_of(file, names).values():
            key = _key(ref)
            refs.setdefault(key, ref)
            files[key].append(file)
            labels[key][_label(ref, file)] = None
    taken = _names_of_several(labels)
    return [
        ConfiguredServer(tuple(_unique(labels[key], files[key], taken)), ref, directory, tuple(files[key]))
        for key, ref in refs.items()
    ]


def _sources(directory: Path) -> list[Path]:
    """Return the files that may define servers; those of whole suites come first."""
    tasks = sorted({file for pattern in STANDALONE_PATTERNS for file in directory.glob(pattern)})
    named = (directory / name for name in (_SUITE_FILE, *MCP_JSON_FILES))
    return [*(file for file in named if file.is_file()), *tasks]


def _servers_of(file: Path, names: KnownNames) -> Mapping[str, ServerRef]:
    if not file.name.endswith("mcp.json"):
        return read_suite(file, names).servers
    environment = {"workspaceFolder": str(file.parent.resolve()), **os.environ}
    return read_mcp_json(file.read_text(encoding="utf-8-sig"), names.display_path(file), environment).servers


def _key(ref: ServerRef) -> str:
    """Return a text that is equal for the same server in several files, whatever its name."""
    return f"{ref.model_dump_json(exclude={'factory', 'name', 'state'})} {ref.factory!r}"


def _label(ref: ServerRef, file: Path) -> str:
    return _suite_name(file) if ref.name == _ANONYMOUS else ref.name


def _suite_name(file: Path) -> str:
    return file.name.split(".mcpbench.")[0] if ".mcpbench." in file.name else file.parent.resolve().name


def _names_of_several(labels: Mapping[str, Mapping[str, None]]) -> frozenset[str]:
    """Return the names that different servers have in different files."""
    every = [label for of_server in labels.values() for label in of_server]
    return frozenset(label for label in every if every.count(label) > 1)


def _unique(labels: Mapping[str, None], files: list[Path], taken: frozenset[str]) -> Iterator[str]:
    for label in labels:
        yield f"{_suite_name(files[0])}.{label}" if label in taken else label


def _directories(root: Path) -> Iterator[Path]:
    for directory, below, files in os.walk(root):
        if "pyvenv.cfg" in files:
            below.clear()
            continue
        below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
        yield Path(directory)
