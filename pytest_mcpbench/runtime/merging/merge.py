"""Merging of the records of several directories (shards, machines, models) into one run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import AttemptKey, series
from pytest_mcpbench.core.shards import Shard
from pytest_mcpbench.core.suite_names import qualified_name
from pytest_mcpbench.reporting.joined_runs import JOINED
from pytest_mcpbench.runtime.merging.compatibility import check_compatibility
from pytest_mcpbench.runtime.merging.source import RecordSummary, SourceRun, read_source, with_distinct_suites
from pytest_mcpbench.runtime.records import (
    LOST_RECORDS,
    RecordWriter,
    has_records,
    read_gates,
    read_record,
    write_facts,
    write_gates,
)
from pytest_mcpbench.runtime.secret_filter import SecretFilter

_RUN_SPECIFIC_SETTINGS = (
    "shard",
    "models",
    "out",
    "resume",
    "concurrency",
    "engine",
    "engine_env",
    "markdown",
    "json",
)
"""Settings that describe one run only and are left out of the merged ones."""


_OWN = ("end", "selected", "resumed_at", LOST_RECORDS, JOINED)
"""Facts of one run that are not those of the merged run, even if all runs have them."""


@dataclass
class MergeResult:
    """Counts of a merge, and the gaps in the merged run."""

    records: int = 0
    duplicates: int = 0
    """Number of attempts with records in more than one directory."""
    damaged: int = 0
    """Number of records that cannot be read and were left out."""
    missing_shards: tuple[str, ...] = ()
    missing: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """Tasks of a suite without any record, by suite and model."""


def merge(directories: Sequence[Path], out: Path, secrets: SecretFilter | None = None) -> MergeResult:
    """Write the records of all directories and the facts of their runs to another directory.

    Of several records of one attempt, a finished one is preferred to an error, and the one that started last to
    earlier ones. Known shapes of keys and the secrets of the filter are not written.

    Raises:
        TaskError: a directory contains no run.
        UsageError: two directories have different versions of a suite or task or different conditions, or ``out``
            already contains records.
    """
    if has_records(out):
        raise UsageError(f"{out} already contains records; choose another directory with --out.")
    distinct = dict.fromkeys(path.resolve() for path in directories)
    sources = with_distinct_suites([read_source(directory) for directory in distinct])
    check_compatibility(sources)
    selected, duplicates = _select_records(sources)
    secrets = secrets or SecretFilter()
    write_facts(out, secrets.remove_from(_merged_facts(sources)))
    gates = [secrets.remove_from_model(gate) for source in sources for gate in read_gates(source.directory)]
    if gates:
        write_gates(out, tuple(gates))
    _copy(selected.values(), out, secrets)
    damaged = sum(source.damaged for source in sources)
    return MergeResult(len(selected), duplicates, damaged, _missing_shards(sources), _missing_tasks(sources, selected))


def _select_records(sources: Iterable[SourceRun]) -> tuple[dict[AttemptKey, RecordSummary], int]:
    """Return the record to keep of each attempt, and the number of attempts with several."""
    selected: dict[AttemptKey, RecordSummary] = {}
    duplicates: set[AttemptKey] = set()
    for source in sources:
        for attempt, record in source.records.items():
            other = selected.get(attempt)
            if other is not None:
                duplicates.add(attempt)
            if other is None or (other.is_error, record.started_at) >= (record.is_error, other.started_at):
                selected[attempt] = record
    return selected, len(duplicates)


def _copy(records: Iterable[RecordSummary], out: Path, secrets: SecretFilter) -> None:
    """Write the records to the directory in the current version, without the secrets that are known now."""
    writer = RecordWriter(out, worker="merged", secrets=secrets)
    try:
        for record in records:
            writer.append(read_record(record.directory, record.ref))
    finally:
        writer.close()


def _merged_facts(sources: Sequence[SourceRun]) -> dict[str, Any]:
    """Return the facts that all runs share, with the facts of each run, without its lists of tasks, as ``merged``."""
    return {
        **{
            name: fact for name, fact in _common_items([source.facts for source in sources]).items() if name not in _OWN
        },
        "started_at": min((str(source.facts.get("started_at", "")) for source in sources), default=""),
        "settings": _merged_settings(sources),
        "suites": {name: facts for source in sources for name, facts in source.facts.get("suites", {}).items()},
        "contents": {name: facts for source in sources for name, facts in source.suites.items()},
        LOST_RECORDS: sum(source.damaged for source in sources),
        JOINED: [facts for source in sources for facts in _facts_of_runs(source)],
    }


def _facts_of_runs(source: SourceRun) -> list[dict[str, Any]]:
    """Return the facts of a run without its lists of tasks; those of each run if it is itself a merged one."""
    earlier = source.facts.get(JOINED)
    if isinstance(earlier, list):
        return earlier
    facts = {name: fact for name, fact in source.facts.items() if name != "contents"}
    return [{"directory": str(source.directory), "attempts": len(source.records), **facts}]


def _merged_settings(sources: Sequence[SourceRun]) -> dict[str, Any]:
    """Return the settings that all runs share, with the models of all runs."""
    common = _common_items([source.settings for source in sources])
    settings = {name: value for name, value in common.items() if name not in _RUN_SPECIFIC_SETTINGS}
    models = dict.fromkeys(model for source in sources for model in source.models)
    return settings | ({"models": list(models)} if models else {})


def _common_items(mappings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first, *others = mappings
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _missing_shards(sources: Iterable[SourceRun]) -> tuple[str, ...]:
    """Return the shards that no directory contains; none if the runs were divided into different numbers of shards."""
    present = {Shard.parse(str(source.settings["shard"])) for source in sources if "shard" in source.settings}
    counts = {shard.count for shard in present}
    if len(counts) != 1:
        return ()
    (count,) = counts
    return tuple(str(shard) for shard in (Shard(index, count) for index in range(1, count + 1)) if shard not in present)


def _missing_tasks(
    sources: Sequence[SourceRun], attempts: Iterable[AttemptKey]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the tasks without a record, by suite and model; a model without any record in a suite is left out."""
    expected = {name: facts.get("tasks", ()) for source in sources for name, facts in source.suites.items()}
    attempted: dict[tuple[str, str | None, str], set[str]] = {}
    for attempt in attempts:
        qualified = qualified_name(attempt.suite, attempt.file)
        suite = qualified if qualified in expected else attempt.suite
        attempted.setdefault((suite, attempt.test, attempt.model), set()).add(attempt.task_id)
    missing = {
        (series(suite, test), model): tuple(task for task in expected.get(suite, ()) if task not in tasks)
        for (suite, test, model), tasks in attempted.items()
    }
    return {key: tasks for key, tasks in missing.items() if tasks}
