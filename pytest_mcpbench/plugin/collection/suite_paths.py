"""Suites on the command line: their paths, node ids and parts, and the conftest files that pytest loads for them."""

import argparse
import copy
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.options.option import OptionReader
from pytest_mcpbench.options.settings import free_short_options
from pytest_mcpbench.plugin.collection.item_state import SUITE_PARTS
from pytest_mcpbench.plugin.collection.known_secrets import cleaned_usage_error
from pytest_mcpbench.suite_files.discovery import FULL, find_suite, installed_suites, part_of, shipped_directory

_PACKAGED = "suites/"


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


# Conftest files that pytest loads before the collection of a run with ``--suite``.


@contextmanager
def conftests_of_suites(config: pytest.Config, args: list[str], parser: pytest.Parser) -> Generator[None]:
    """Have pytest load the conftest files of the suites instead of those of the tests, which such a run leaves out.

    A command line that names paths stays as it is. So does one with an unknown suite, because ``--suite`` may be the
    option of a conftest file that is not loaded yet; if such a file fails, the error names both reasons.
    """
    suites, paths = _suites_and_paths(config, args, parser)
    if not suites or paths:
        yield
        return
    try:
        files = [find_suite_file(name, config) for name in suites]
    except pytest.UsageError as unknown:
        try:
            yield
        except Exception as failure:
            note = f"--suite may also be an option of a conftest file, but one cannot be loaded: {failure}"
            error = pytest.UsageError(*unknown.args, note)
            raise cleaned_usage_error(config, error) from None
        return
    directory = config.invocation_params.dir
    conftests = (each / "conftest.py" for each in (directory, *directory.parents))
    nearest = [file for file in conftests if file.is_file()][:1]
    # Given a directory, pytest also loads the conftest files of its subdirectories test*; given a file, it does not.
    config.known_args_namespace.file_or_dir = [str(file) for file in (*nearest, *files)]
    yield


def _suites_and_paths(
    config: pytest.Config, args: list[str], parser: pytest.Parser
) -> tuple[list[str], list[str | Path]]:
    """Return the suites of the command line or the ini file, and the paths of the command line.

    pytest does not know the short options yet, and takes the second word of ``--suite radar`` for a path.
    """
    short = argparse.ArgumentParser(add_help=False, allow_abbrev=False, fromfile_prefix_chars="@")
    for option in free_short_options(parser):
        # pytest itself reports a missing value.
        short.add_argument(f"--{option.name}", dest=option.dest, action="append", nargs="?")
    own, others = short.parse_known_args(args)
    known = parser.parse_known_args(others, namespace=copy.copy(config.option))
    named = [*(getattr(own, "mcpbench_suite", None) or ()), *(known.mcpbench_suite or ())]
    return [name for name in named if name] or OptionReader(config).value("suite", kind="args") or [], known.file_or_dir
