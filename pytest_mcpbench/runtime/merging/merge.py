"""Joins the records of several directories (shards, machines, models) into one run."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import AttemptKey, RunRecord, series
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.core.shards import Shard
from pytest_mcpbench.runtime.records import (
    RecordWriter,
    read_facts,
    read_line,
    read_records,
    require_records,
    write_facts,
)

_MUST_AGREE = ("temperature", "prompt", "rounds", "tool_calls", "seconds", "judge")
"""Settings that change what an attempt does."""

_OWN = ("shard", "models", "out", "resume", "concurrency", "engine", "engine_env", "markdown", "json")
"""Settings in which the runs that are joined may differ without a word."""


class DifferentSettingsWarning(UserWarning):
    """Runs that are joined were not made alike."""


@dataclass(frozen=True)
class Kept:
    """What has to be known of a record to choose among several of one attempt."""

    directory: Path
    ref: RecordRef
    task_hash: str
    is_error: bool
    started_at: str


@dataclass(frozen=True)
class Source:
    """One directory of records."""

    directory: Path
    facts: Mapping[str, Any]
    kept: Mapping[AttemptKey, Kept]
    """The last record of each attempt."""

    @property
    def settings(self) -> Mapping[str, Any]:
        return read_settings(self.facts)

    @property
    def suites(self) -> Mapping[str, Mapping[str, Any]]:
        """Suite -> its hash and its tasks; empty for a run that did not write them down."""
        given = self.facts.get("contents")
        return given if isinstance(given, Mapping) else {}

    @property
    def conditions(self) -> Mapping[str, Mapping[str, Any]]:
        """Suite -> under which conditions its tasks were attempted."""
        given = self.facts.get("suites")
        return (
            {name: facts.get("conditions", {}) for name, facts in given.items()} if isinstance(given, Mapping) else {}
        )


@dataclass
class MergeResult:
    """What came of it."""

    records: int = 0
    duplicates: int = 0
    """Attempts that more than one directory had."""
    missing_shards: tuple[str, ...] = ()
    missing: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """Suite and model -> tasks of the suite without any record."""


def merge(directories: Sequence[Path], out: Path) -> MergeResult:
    """Write the records of all directories and the facts of their runs to another one.

    Of an attempt that several directories have, one record is taken: a finished one before an error, of several the one
    begun last.

    Raises:
        UsageError: two directories have another version of a suite or task or other conditions, or ``out`` holds
            records.
    """
    if any(out.glob("records-*.jsonl")):
        raise UsageError(f"{out} holds records already; name another directory with --out.")
    sources = [_read(directory) for directory in dict.fromkeys(path.resolve() for path in directories)]
    _require_same_suites(sources)
    _require_same_conditions(sources)
    if not _warn_of_differences(sources):
        _require_same_tasks(sources)
    chosen, duplicates = _chosen(sources)
    write_facts(out, _facts(sources))
    _copy(chosen.values(), out)
    return MergeResult(len(chosen), duplicates, _missing_shards(sources), _missing_tasks(sources, chosen))


def _read(directory: Path) -> Source:
    if not read_facts(directory).get("contents"):  # a shard may have no task at all
        require_records(directory)
    kept = {record.attempt: _kept(directory, ref, record) for ref, record in read_records(directory)}
    return Source(directory, read_facts(directory), kept)


def _kept(directory: Path, ref: RecordRef, record: RunRecord) -> Kept:
    return Kept(directory, ref, record.task_hash, record.outcome == "error", record.started_at)


def _require_same_suites(sources: Sequence[Source]) -> None:
    first: dict[str, tuple[str, Path]] = {}
    for source in sources:
        for name, facts in source.suites.items():
            found = facts["hash"]
            _require_same(f"suite {name!r}", first.setdefault(name, (found, source.directory)), source, found)


def _require_same_conditions(sources: Sequence[Source]) -> None:
    """Records do not say under which conditions they were made: joined, they would pass for trials of one another."""
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


def _require_same_tasks(sources: Sequence[Source]) -> None:
    """Also where a directory's facts are older than its records, or there are none."""
    first: dict[tuple[str, str], tuple[str, Path]] = {}
    for source in sources:
        for attempt, kept in source.kept.items():
            if kept.task_hash:
                task = attempt.suite, attempt.task_id
                known = first.setdefault(task, (kept.task_hash, source.directory))
                _require_same(f"task {attempt.task_id!r} of suite {attempt.suite!r}", known, source, kept.task_hash)


def _require_same(what: str, first: tuple[str, Path], source: Source, found: str) -> None:
    known, directory = first
    if known != found:
        raise UsageError(
            f"{what} is not the same in both: its hash is {known} in {directory} and {found} in {source.directory}. "
            "Results on different tasks do not add up; run one of them again, or show them side by side with "
            "'mcpbench report' or 'mcpbench compare'."
        )


def _warn_of_differences(sources: Sequence[Source]) -> bool:
    """Whether there are settings that make tasks of one suite differ."""
    different = list(_values_of(sources, lambda source: source.settings, _MUST_AGREE))
    for name, values in different:
        _warn(f"the runs were made with different settings: {name} is {values}")
    for _, values in _values_of(sources, lambda source: source.facts, ("version",)):
        _warn(f"the runs were made by different versions of pytest-mcpbench: {values}")
    return bool(different)


def _values_of(sources: Sequence[Source], part: Any, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each name whose value is not the same everywhere, with where it is which."""
    for name in names:
        found = {source.directory: part(source).get(name) for source in sources if source.facts}
        if len(set(found.values())) > 1:
            first: dict[Any, Path] = {}
            for directory, value in found.items():
                first.setdefault(value, directory)
            places = (("not set" if value is None else value, directory) for value, directory in first.items())
            yield name, ", ".join(f"{value} in {directory}" for value, directory in places)


def _chosen(sources: Iterable[Source]) -> tuple[dict[AttemptKey, Kept], int]:
    chosen: dict[AttemptKey, Kept] = {}
    duplicates: set[AttemptKey] = set()
    for source in sources:
        for attempt, kept in source.kept.items():
            other = chosen.get(attempt)
            if other is not None:
                duplicates.add(attempt)
            if other is None or (other.is_error, kept.started_at) >= (kept.is_error, other.started_at):
                chosen[attempt] = kept
    return chosen, len(duplicates)


def _copy(chosen: Iterable[Kept], out: Path) -> None:
    writer = RecordWriter(out, worker="merged")
    try:
        for kept in chosen:
            writer.append_line(read_line(kept.directory, kept.ref))
    finally:
        writer.close()


def _facts(sources: Sequence[Source]) -> dict[str, Any]:
    """The facts that are the same everywhere; under ``merged`` those of each directory, without lists of tasks."""
    return {
        **_common([source.facts for source in sources]),
        "started_at": min((str(source.facts.get("started_at", "")) for source in sources), default=""),
        "settings": _settings(sources),
        "suites": {name: facts for source in sources for name, facts in source.facts.get("suites", {}).items()},
        "contents": {name: facts for source in sources for name, facts in source.suites.items()},
        "merged": [
            {
                "directory": str(source.directory),
                **{name: fact for name, fact in source.facts.items() if name != "contents"},
            }
            for source in sources
        ],
    }


def _settings(sources: Sequence[Source]) -> dict[str, Any]:
    """Those that are the same everywhere, with all models."""
    settings = {
        name: value for name, value in _common([source.settings for source in sources]).items() if name not in _OWN
    }
    models = dict.fromkeys(model for source in sources for model in _models(source))
    return settings | ({"models": list(models)} if models else {})


def _models(source: Source) -> tuple[str, ...]:
    return tuple(dict.fromkeys(attempt.model for attempt in source.kept))


def _common(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first, *others = given
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _missing_shards(sources: Iterable[Source]) -> tuple[str, ...]:
    """Parts that no directory is of, where all that are parts are parts of the same number."""
    given = {Shard.parse(source.settings["shard"]) for source in sources if "shard" in source.settings}
    counts = {shard.count for shard in given}
    if len(counts) != 1:
        return ()
    (count,) = counts
    return tuple(str(shard) for shard in (Shard(index, count) for index in range(1, count + 1)) if shard not in given)


def _missing_tasks(sources: Sequence[Source], chosen: Iterable[AttemptKey]) -> dict[tuple[str, str], tuple[str, ...]]:
    made: dict[tuple[str, str | None, str], set[str]] = {}
    for attempt in chosen:
        made.setdefault((attempt.suite, attempt.test, attempt.model), set()).add(attempt.task_id)
    listed = {name: facts.get("tasks", ()) for source in sources for name, facts in source.suites.items()}
    missing = {
        (series(suite, test), model): tuple(task for task in listed.get(suite, ()) if task not in tasks)
        for (suite, test, model), tasks in made.items()
    }
    return {key: tasks for key, tasks in missing.items() if tasks}


def _warn(message: str) -> None:
    warnings.warn(message, DifferentSettingsWarning, stacklevel=4)
