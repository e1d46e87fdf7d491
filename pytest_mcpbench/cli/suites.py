"""Suites that commands read."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.cli.output import known_secrets, print_problem
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.suite_files.loading import LoadedSuite, load_suite


def load_named_suite(path: Path, conditions: Mapping[str, Any] | None = None) -> LoadedSuite:
    """Return a suite, and print the error of each record that cannot be read.

    Raises:
        TaskError: a complete file cannot be read.
    """
    loaded = _load(path, conditions)
    _print_errors(error for error in loaded.errors if error not in loaded.file_errors)
    for error in loaded.file_errors:
        raise error
    return loaded


def load_readable_part(path: Path) -> LoadedSuite:
    """Return a suite, and print the error of each record and of each complete file that cannot be read."""
    loaded = _load(path)
    _print_errors(loaded.errors)
    return loaded


def _load(path: Path, conditions: Mapping[str, Any] | None = None) -> LoadedSuite:
    loaded = load_suite(path, conditions or {})
    # Errors, too, may quote what the servers of the suite are given.
    known_secrets().add_suite(loaded.manifest)
    return loaded


def _print_errors(errors: Iterable[TaskError]) -> None:
    for error in errors:
        print_problem(str(error))
