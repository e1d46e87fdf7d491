"""Paths of suites on the command line, and node ids of their files."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.plugin.collection.item_state import SUITE_PARTS
from pytest_mcpbench.suite_files.discovery import FULL, find_suite, installed_suites, part_of, shipped_directory


def find_suite_file(name: str, config: pytest.Config) -> Path:
    """Return the suite.toml or task file of a ``--suite``. The usage error for an unknown name lists the known ones."""
    try:
        return find_suite(name, config.invocation_params.dir, config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def node_id(file: Path, config: pytest.Config) -> str:
    """Return the node id of a task file: its path from the rootdir.

    pytest itself gives files outside the rootdir an empty node id, so that tasks of two such suites would have the same
    ids. A suite of the plugin or another package has the node id ``suites/<name>/suite.toml`` wherever it is installed,
    unless the project has a file of that name.
    """
    if file.is_relative_to(shipped_directory()):
        shipped = _PACKAGED + file.relative_to(shipped_directory()).as_posix()
        if not (config.rootpath / shipped).exists():
            return shipped
    if file.is_relative_to(config.rootpath):
        return file.relative_to(config.rootpath).as_posix()
    for name, path in installed_suites():
        installed = f"{_PACKAGED}{name}/{path.name}"
        if path == file and not (config.rootpath / installed).exists():
            return installed
    return Path(os.path.relpath(file, config.rootpath)).as_posix()


def resolve_argument(text: str, config: pytest.Config) -> str:
    """Return an argument of the command line; a node id of a suite in a package is replaced by the suite's path."""
    path, separator, names = text.partition("::")
    if not path.startswith(_PACKAGED) or (config.invocation_params.dir / path).exists():
        return text
    shipped = shipped_directory() / path.removeprefix(_PACKAGED)
    if shipped.is_file():
        return f"{shipped}{separator}{names}"
    installed = {f"{_PACKAGED}{name}/{file.name}": file for name, file in installed_suites()}
    return f"{installed[path]}{separator}{names}" if path in installed else text


def remember_parts(files: Mapping[str, Path], arguments: list[str], config: pytest.Config) -> None:
    """Store the part of each suite that ``--suite=NAME:PART`` asks for; node ids of single items ask for ``full``."""
    parts: dict[Path, str] = {}
    for name, file in files.items():
        part = part_of(name)
        if part is None or parts.get(file) == FULL:
            continue
        if part not in (FULL, parts.get(file, part)):
            raise pytest.UsageError(f"--suite={name}: a run has one split of a suite; {parts[file]!r} is named, too.")
        parts[file] = part
    paths = (path for path, separator, _ in (argument.partition("::") for argument in arguments) if separator)
    named = {(config.invocation_params.dir / path).resolve() for path in paths}
    config.stash[SUITE_PARTS] = parts | dict.fromkeys(named, FULL)


def has_items_of(file: Path, arguments: list[str], config: pytest.Config) -> bool:
    """Return whether an argument of the command line is the node id of an item of the file."""
    named = (path for path, separator, _ in (argument.partition("::") for argument in arguments) if separator)
    return any((config.invocation_params.dir / path).resolve() == file.resolve() for path in named)


_PACKAGED = "suites/"
