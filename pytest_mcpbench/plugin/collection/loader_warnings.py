"""What loaders remark on records that they could read: one short warning a suite."""

import re
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

_SHOWN = 5
_FURTHER_WORKER = re.compile(r"gw[1-9]\d*")


class TaskWarning(pytest.PytestWarning):
    """Something in a task file that its author should look at; the task is run all the same."""


def give(file: pytest.Module, suite: SuiteManifest, records: Sequence[LoadedTask]) -> list[LoadedTask]:
    """Warn of what was remarked. Where pytest makes errors of warnings, each such record becomes an error."""
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
    with _heard_once(file.config):
        warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(file.path, file.config), 0)


def _heard_once(config: pytest.Config) -> AbstractContextManager[Any]:
    """All workers of xdist collect the same: the first one's warnings are shown."""
    worker = getattr(config, "workerinput", {}).get("workerid", "")
    return warnings.catch_warnings(record=True) if _FURTHER_WORKER.fullmatch(worker) else nullcontext()


def _text(config: pytest.Config, suite: SuiteManifest, lines: Sequence[str]) -> str:
    """A line for each remark, its files relative to the suite."""
    directory = suite_paths.node_id(Path(suite.directory), config)
    shown = lines if config.get_verbosity() > 0 else lines[:_SHOWN]
    more = [f"and {len(lines) - len(shown)} more, which -v shows"] if len(shown) < len(lines) else []
    short = [line.replace(f"{directory}/", "") for line in shown]
    count = "1 remark" if len(lines) == 1 else f"{len(lines)} remarks"
    return "\n  ".join((f"{count} on tasks of {suite.name} in {directory}", *short, *more))


def _lines(record: LoadedTask) -> Iterator[str]:
    for warning in record.warnings:
        yield f"{record.place}: {_bare(warning, record)}"


def _bare(warning: str, record: LoadedTask) -> str:
    """The warning without its place, which some loaders say themselves."""
    return warning.removeprefix(f"{record.place}: ")


def _as_error(record: LoadedTask) -> LoadedTask:
    if not record.warnings or record.error is not None:
        return record
    return replace(record, task=None, error=TaskError(_bare(record.warnings[0], record), record.place))
