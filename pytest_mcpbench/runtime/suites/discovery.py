"""Suites on disk: where they are by name or path, and their tasks."""

import difflib
import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest_mcpbench
from pytest_mcpbench.core.errors import Place, TaskError, UsageError
from pytest_mcpbench.core.loading import LoadedTask, Loader, LoadOptions
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.loaders import manifest
from pytest_mcpbench.loaders.catalogue import BUILT_IN


def find_suite(name: str, directory: Path, root: Path | None = None) -> Path:
    """The suite.toml or task file that a path from ``directory`` means, or the name of a suite of ``root``."""
    given = directory / name
    if given.is_file():
        return given.resolve()
    if (given / "suite.toml").is_file():
        return (given / "suite.toml").resolve()
    known = suites_by_name(root or directory)
    if name not in known:
        nearest = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        there = ", ".join(sorted(known)) or "none"
        raise UsageError(f"no suite is called {name!r}, and no such file exists; there are: {there}.{hint}")
    return known[name]


def suites_by_name(root: Path) -> dict[str, Path]:
    """Every suite below ``suites/`` of a project and those that ship."""
    return {
        path.parent.name: path.resolve()
        for directory in (shipped_directory(), root / "suites")
        for path in sorted(directory.glob("*/suite.toml"))
    }


def shipped_directory() -> Path:
    """``suites/`` of the wheel or, in a source checkout, beside the package."""
    package = Path(pytest_mcpbench.__file__).resolve().parent
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def read_suite(path: Path) -> SuiteManifest:
    """The suite of a suite.toml or of a stand-alone task file."""
    text = path.read_text(encoding="utf-8-sig")
    read = manifest.read_manifest if path.suffix == ".toml" else manifest.standalone_manifest
    return read(text, path, os.environ)


def read_tasks(suite: SuiteManifest, loaders: Mapping[str, Any] = BUILT_IN) -> Iterator[LoadedTask]:
    """The records of all task files of a suite, in order."""
    for file in suite.files:
        yield from _records(suite, file, loaders)


def _records(suite: SuiteManifest, file: TaskFileRef, loaders: Mapping[str, Any]) -> Iterator[LoadedTask]:
    path = Path(suite.directory) / file.path
    if file.loader not in loaders:
        raise TaskError(
            f"no loader is called {file.loader!r}.",
            Place(file.path),
            remedy=f"There are: {', '.join(sorted(loaders))}.",
        )
    loader: Loader = resolved(loaders[file.loader])
    yield from loader(content_of(path, file.sha256), LoadOptions(os.path.relpath(path), file.options))


def content_of(path: Path, sha256: str | None) -> bytes:
    """What a file of tasks holds; it must be the one that the suite expects."""
    if not path.is_file():
        raise TaskError(
            "the file does not exist.", Place(str(path)), remedy="See the suite's SOURCE.md for where to get it."
        )
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if sha256 and found != sha256:
        raise TaskError(
            f"sha256 is {found}, the suite expects {sha256}.", Place(str(path)), remedy="Fetch the file again."
        )
    return content


def resolved(value: Any) -> Any:
    """What ``"module:attribute"`` points to; any other value as it is."""
    if not isinstance(value, str):
        return value
    module, _, attribute = value.partition(":")
    return getattr(importlib.import_module(module), attribute)
