"""Loading of a suite for collection: with the names of all hooks, under the conditions of the command line."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.evidence import AttemptNotes
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.workers import is_further_worker
from pytest_mcpbench.plugin.collection import contents, suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_state import SUITE_PARTS, SUITES
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.suite_files.discovery import FULL
from pytest_mcpbench.suite_files.loading import LoadedSuite, load_suite
from pytest_mcpbench.suite_files.splits import with_part


def load_variant(
    path: Path, config: pytest.Config, variant: Variant, *, part: str | None = None
) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return a suite under the conditions of a variant, with its records in the same order as in :func:`load`."""
    conditions = {**config.stash[SETTINGS].conditions, **variant.conditions}
    loaded = load_suite(path, conditions, catalogue_of(config).names)
    return _with_part(loaded, path, config, part).manifest, list(loaded.attempts)


def load(path: Path, config: pytest.Config, *, part: str | None = None) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return the suite of a suite.toml or of a stand-alone task file, with its records as attempts see them.

    Args:
        path: The file.
        config: The run's configuration.
        part: The part of its tasks that is asked for, whatever the command line says.
    """
    read = load_suite(path, config.stash[SETTINGS].conditions, catalogue_of(config).names)
    loaded = _with_part(read, path, config, part)
    known_secrets(config).add_suite(loaded.manifest)
    suite_id = loaded.manifest.name, suite_paths.node_id(path, config)
    config.stash.setdefault(SUITES, {})[suite_id] = loaded.manifest
    contents.remember(config, suite_id, loaded)
    return loaded.manifest, list(loaded.attempts)


def _with_part(loaded: LoadedSuite, path: Path, config: pytest.Config, part: str | None) -> LoadedSuite:
    """Return the suite with the part that is asked for as its sample; ``--mcpbench-sample`` draws from all tasks."""
    part = part or config.stash.get(SUITE_PARTS, {}).get(path.resolve())
    if config.stash[SETTINGS].sample:
        if part not in (None, FULL):
            problem = f"{loaded.manifest.name}:{part} is a split, and --mcpbench-sample draws another sample"
            raise UsageError(f"{problem}: leave one of them out.")
        part = FULL
    return with_part(loaded, part)


# Warnings of loaders about records that they could read: one short pytest warning per suite.

_SHOWN = 5


class TaskWarning(pytest.PytestWarning):
    """Problem in a task file that its author should look at; the task runs all the same."""


def warn_about_attempt(item: pytest.Item, notes: AttemptNotes) -> None:
    """Issue the warnings of an attempt; those of many tasks have the same text, so that pytest joins them."""
    texts = [
        f"server {server!r} does not read these fields of its seed: {', '.join(fields)}"
        for server, fields in notes.unread_fields.items()
    ]
    for text in (*texts, *notes.warnings):
        warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(item.path, item.config), 0)


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
