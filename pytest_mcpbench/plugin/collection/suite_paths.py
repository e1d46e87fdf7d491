"""The suites that the command line and markers name, and what pytest calls them."""

import os
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.suites.discovery import find_suite, shipped_directory


def find(name: str, config: pytest.Config) -> Path:
    """The suite.toml or task file that a ``--suite`` means; a usage error lists the names that there are."""
    try:
        return find_suite(name, config.invocation_params.dir, config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def node_id(file: Path, config: pytest.Config) -> str:
    """The node id of a task file: its path from the rootdir; of a suite that ships ``suites/<name>/suite.toml``.

    pytest itself gives files outside the rootdir an empty one: tasks of two such suites could not be told apart. A
    suite that ships has the same one wherever it is installed, also in an environment below the rootdir, unless the
    project has a file of that name.
    """
    if file.is_relative_to(shipped_directory()):
        shipped = _SHIPPED + file.relative_to(shipped_directory()).as_posix()
        if not (config.rootpath / shipped).exists():
            return shipped
    if file.is_relative_to(config.rootpath):
        return file.relative_to(config.rootpath).as_posix()
    return Path(os.path.relpath(file, config.rootpath)).as_posix()


def argument(given: str, config: pytest.Config) -> str:
    """An argument of the command line with the path of the suite that ships, where it is the node id of one."""
    path, separator, names = given.partition("::")
    shipped = shipped_directory() / path.removeprefix(_SHIPPED)
    if not path.startswith(_SHIPPED) or (config.invocation_params.dir / path).exists() or not shipped.is_file():
        return given
    return f"{shipped}{separator}{names}"


def has_items_of(file: Path, arguments: list[str], config: pytest.Config) -> bool:
    """Whether arguments of the command line are node ids of the file's items."""
    named = (path for path, separator, _ in (given.partition("::") for given in arguments) if separator)
    return any((config.invocation_params.dir / path).resolve() == file.resolve() for path in named)


_SHIPPED = "suites/"
