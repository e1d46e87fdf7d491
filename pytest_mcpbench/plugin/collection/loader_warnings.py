"""Warnings of loaders about records that they could read: one short pytest warning per suite."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin.collection import suite_paths
from pytest_mcpbench.plugin.worker_channel import is_further_worker

_SHOWN = 5


class TaskWarning(pytest.PytestWarning):
    """Problem in a task file that its author should look at; the task runs all the same."""


def warn_about_records(file: pytest.Module, suite: SuiteManifest, records: Sequence[LoadedTask]) -> list[LoadedTask]:
    """Issue the warnings; if pytest turns warnings into errors, return errors in place of the records concerned."""
    for warning in suite.warnings:
        _warn(file, warning)
    lines = [line for record in records for line in _lines(record)]
    try:
        if lines:
            _warn(file, _text(file.config, suite, lines))
    except TaskWarning:
        return [_as_error(record) for record in records]
    return list(records)


def _warn(file: pytest.Module, text: str) -> None:
    with _shown_once(file.config):
        warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(file.path, file.config), 0)


def _shown_once(config: pytest.Config) -> AbstractContextManager[Any]:
    """Suppress warnings in all workers but the first: all collect the same, and the controller shows every warning."""
    return warnings.catch_warnings(record=True) if is_further_worker(config) else nullcontext()


def _text(config: pytest.Config, suite: SuiteManifest, lines: Sequence[str]) -> str:
    """Return a line per warning, with files relative to the suite."""
    directory = suite_paths.node_id(Path(suite.directory), config)
    shown = lines if config.get_verbosity() > 0 else lines[:_SHOWN]
    more = [f"and {len(lines) - len(shown)} more, which -v shows"] if len(shown) < len(lines) else []
    short = [line.replace(f"{directory}/", "") for line in shown]
    count = "1 warning" if len(lines) == 1 else f"{len(lines)} warnings"
    return "\n  ".join((f"{count} about tasks of {suite.name} in {directory}", *short, *more))


def _lines(record: LoadedTask) -> Iterator[str]:
    for warning in record.warnings:
        yield f"{record.place}: {_without_place(warning, record)}"


def _without_place(warning: str, record: LoadedTask) -> str:
    """Return the warning without its place, with which some loaders begin it."""
    return warning.removeprefix(f"{record.place}: ")


def _as_error(record: LoadedTask) -> LoadedTask:
    if not record.warnings or record.error is not None:
        return record
    return replace(record, task=None, error=TaskError(_without_place(record.warnings[0], record), record.place))
