"""Checks that runs may be merged: same suites, same tasks, same conditions; other settings only with a warning."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suite_names import qualified_name
from pytest_mcpbench.runtime.merging.source import SourceRun

_COMPARED_SETTINGS = ("temperature", "prompt", "rounds", "tool_calls", "seconds", "judge")
"""Settings that change what an attempt does."""


class DifferentSettingsWarning(UserWarning):
    """Warning that merged runs had different settings or versions."""


def check_compatibility(sources: Sequence[SourceRun]) -> None:
    """Check that the records of all runs can be counted together.

    Raises:
        UsageError: two runs have different versions of a suite or task, or different conditions.
    """
    _require_same_suites(sources)
    _require_same_conditions(sources)
    # Limits are part of a task's hash: where the settings differ, so do all tasks, and the warning says why.
    if not _warn_of_different_settings(sources):
        _require_same_tasks(sources)


def _require_same_suites(sources: Sequence[SourceRun]) -> None:
    known: dict[str, tuple[str, Path]] = {}
    for source in sources:
        for name, facts in source.suites.items():
            digest = facts["hash"]
            _require_same_hash(f"suite {name!r}", known.setdefault(name, (digest, source.directory)), source, digest)


def _require_same_conditions(sources: Sequence[SourceRun]) -> None:
    """Raise a usage error if a suite was run under different conditions."""
    # Records do not contain the conditions: once merged, attempts under different ones would look like trials of
    # one task.
    first: dict[tuple[str, str], tuple[Any, Path]] = {}
    for source in sources:
        for suite, conditions in source.conditions.items():
            for name, value in conditions.items():
                known, directory = first.setdefault((suite, name), (value, source.directory))
                if known != value:
                    raise UsageError(
                        f"suite {suite!r} was not run under the same conditions: {name} is {known} in {directory} "
                        f"and {value} in {source.directory}. Compare such runs with 'mcpbench compare'."
                    )


def _require_same_tasks(sources: Sequence[SourceRun]) -> None:
    """Raise a usage error if two records of one task have different hashes of it."""
    # In addition to the suites' hashes: the facts of a run may be missing, or older than its records.
    first: dict[tuple[str, str], tuple[str, Path]] = {}
    for source in sources:
        for attempt, record in source.records.items():
            if record.task_hash:
                task = qualified_name(attempt.suite, attempt.file), attempt.task_id
                known = first.setdefault(task, (record.task_hash, source.directory))
                _require_same_hash(
                    f"task {attempt.task_id!r} of suite {attempt.suite!r}", known, source, record.task_hash
                )


def _require_same_hash(subject: str, first: tuple[str, Path], source: SourceRun, digest: str) -> None:
    known, directory = first
    if known != digest:
        raise UsageError(
            f"{subject} is not the same in both: its hash is {known} in {directory} and {digest} in "
            f"{source.directory}. Results on different tasks do not add up; run one of them again, or show them side "
            "by side with 'mcpbench report' or 'mcpbench compare'."
        )


def _warn_of_different_settings(sources: Sequence[SourceRun]) -> bool:
    """Warn of different settings and versions; return whether settings differ that change what an attempt does."""
    different = list(_differences(sources, lambda source: source.settings, _COMPARED_SETTINGS))
    for name, values in different:
        _warn(f"the runs have different settings: {name} is {values}")
    for _, values in _differences(sources, lambda source: source.facts, ("version",)):
        _warn(f"the runs have different versions of pytest-mcpbench: {values}")
    return bool(different)


def _differences(
    sources: Sequence[SourceRun], part: Callable[[SourceRun], Mapping[str, Any]], names: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield each name whose value differs between the runs, with a description of its values."""
    for name in names:
        values = {source.directory: part(source).get(name) for source in sources if source.facts}
        if len(set(values.values())) > 1:
            first: dict[Any, Path] = {}
            for directory, value in values.items():
                first.setdefault(value, directory)
            places = (("not set" if value is None else value, directory) for value, directory in first.items())
            yield name, ", ".join(f"{value} in {directory}" for value, directory in places)


def _warn(message: str) -> None:
    warnings.warn(message, DifferentSettingsWarning, stacklevel=5)  # 5: the caller of merge()
