"""Merging of the records of several directories (shards, machines, models) into one run."""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import AttemptKey, series
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.core.selection import Shard
from pytest_mcpbench.core.suite import qualified_name
from pytest_mcpbench.files.line_file import DamagedRecordWarning, counted_losses, first_fault, warn
from pytest_mcpbench.reporting.aggregates.run_end import JOINED
from pytest_mcpbench.runs.records import (
    LOST_RECORDS,
    RecordWriter,
    has_records,
    lost_records,
    read_facts_now,
    read_gates,
    read_record,
    read_records,
    require_records,
    write_facts,
    write_gates,
)
from pytest_mcpbench.servers.secret_filter import SecretFilter

# Contents of one directory of records that takes part in a merge.


@dataclass(frozen=True)
class RecordSummary:
    """Fields of a record that decide which of several records of one attempt is kept."""

    directory: Path
    ref: RecordRef
    task_hash: str
    is_error: bool
    started_at: str


@dataclass(frozen=True)
class SourceRun:
    """Run that is merged: the facts of its ``run.json`` and a summary of its records."""

    directory: Path
    facts: Mapping[str, Any]
    records: Mapping[AttemptKey, RecordSummary]
    """Summary of the last record of each attempt."""
    damaged: int = 0
    """Number of records that cannot be read and were left out, here or in the runs that were merged into this one."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings that the run was started with."""
        return read_settings(self.facts)

    @property
    def suites(self) -> Mapping[str, Mapping[str, Any]]:
        """File, hash and task ids of each suite; empty for a run that did not store them."""
        return self._mapping("contents")

    @property
    def conditions(self) -> Mapping[str, Mapping[str, Any]]:
        """Conditions under which the tasks of each suite were attempted."""
        return {name: facts.get("conditions", {}) for name, facts in self._mapping("suites").items()}

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that have records."""
        return tuple(dict.fromkeys(attempt.model for attempt in self.records))

    def _mapping(self, name: str) -> Mapping[str, Any]:
        value = self.facts.get(name)
        return value if isinstance(value, Mapping) else {}


def with_distinct_suites(sources: Sequence[SourceRun]) -> list[SourceRun]:
    """Return the runs with suites of one name that have different files and contents named with their files.

    Equal contents are one suite, wherever its file is: machines may run it from different directories.
    """
    versions: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for source in sources:
        for name, facts in source.suites.items():
            versions[name].add((facts.get("file", ""), facts["hash"]))
    ambiguous = set()
    for name, known in versions.items():
        files, digests = {file for file, _ in known}, {digest for _, digest in known}
        # Each file has one version of its own; two versions of one file are not two suites.
        if len(files) == len(known) == len(digests) > 1 and "" not in files:
            ambiguous.add(name)
    distinct = []
    for source in sources:
        own = source.suites
        new_names = {name: qualified_name(name, own[name]["file"]) for name in ambiguous if name in own}
        renamed = {
            part: {new_names.get(name, name): about for name, about in source.facts[part].items()}
            for part in ("contents", "suites")
            if isinstance(source.facts.get(part), Mapping)
        }
        distinct.append(replace(source, facts={**source.facts, **renamed}))
    return distinct


class _SuiteContents(BaseModel):
    file: str = ""
    hash: str
    tasks: tuple[str, ...] = ()


class _SuiteFacts(BaseModel):
    conditions: dict[str, Any] = {}


class _Facts(BaseModel):
    """The facts of a run that a merge reads."""

    contents: dict[str, _SuiteContents] = {}
    suites: dict[str, _SuiteFacts] = {}


def _usable_facts(directory: Path) -> Mapping[str, Any]:
    """Return the facts of a run; none, with a warning, if they have another form than a run stores."""
    facts = read_facts_now(directory)
    try:
        _Facts.model_validate(facts)
    except ValidationError as error:
        problem = f"{directory / 'run.json'}: the facts of the run cannot be used: {first_fault(error)}"
        warn(DamagedRecordWarning, problem)
        return {}
    return facts


def read_source(directory: Path) -> SourceRun:
    """Read one directory of records.

    Raises:
        TaskError: the directory contains neither records nor the facts of a run.
    """
    facts = _usable_facts(directory)
    # A shard may have no task at all: then it has facts, but no records.
    if not facts.get("contents"):
        require_records(directory)
    # Full records are not kept: the trajectories of several runs may not fit into memory.
    with counted_losses() as losses:
        records = {
            each.attempt: RecordSummary(directory, ref, each.task_hash, each.outcome == "error", each.started_at)
            for ref, each in read_records(directory)
        }
    return SourceRun(directory, facts, records, lost_records(facts) + len(losses))


# Checks that runs may be merged: same suites, same tasks, same conditions; other settings only with a warning.

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
    different = list(_differences(sources, lambda source: source.settings, _COMPARED_SETTINGS))
    for name, values in different:
        _warn(f"the runs have different settings: {name} is {values}")
    for _, values in _differences(sources, lambda source: source.facts, ("version",)):
        _warn(f"the runs have different versions of pytest-mcpbench: {values}")
    # Limits are part of a task's hash: where the settings differ, so do all tasks, and the warning says why.
    if not different:
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
    warnings.warn(message, DifferentSettingsWarning, stacklevel=4)  # 4: the caller of merge()


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


_OWN = ("end", "exit_code", "failed_tests", "selected", "resumed_at", LOST_RECORDS, JOINED)
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
    with closing(RecordWriter(out, worker="merged", secrets=secrets)) as writer:
        # In the current version, and without the secrets that are known now.
        for record in selected.values():
            writer.append(read_record(record.directory, record.ref))
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


def _merged_facts(sources: Sequence[SourceRun]) -> dict[str, Any]:
    """Return the facts that all runs share, with the facts of each run, without its lists of tasks, as ``merged``."""
    # The settings that all runs share, with the models of all runs.
    common = _common_items([source.settings for source in sources])
    settings = {name: value for name, value in common.items() if name not in _RUN_SPECIFIC_SETTINGS}
    models = dict.fromkeys(model for source in sources for model in source.models)
    merged_settings = settings | ({"models": list(models)} if models else {})
    joined = []
    for source in sources:
        earlier = source.facts.get(JOINED)
        if isinstance(earlier, list):
            # It is itself a merged run.
            joined += earlier
        else:
            facts = {name: fact for name, fact in source.facts.items() if name != "contents"}
            joined.append({"directory": str(source.directory), "attempts": len(source.records), **facts})
    return {
        **{
            name: fact for name, fact in _common_items([source.facts for source in sources]).items() if name not in _OWN
        },
        "started_at": min((str(source.facts.get("started_at", "")) for source in sources), default=""),
        "settings": merged_settings,
        "suites": {name: facts for source in sources for name, facts in source.facts.get("suites", {}).items()},
        "contents": {name: facts for source in sources for name, facts in source.suites.items()},
        LOST_RECORDS: sum(source.damaged for source in sources),
        JOINED: joined,
    }


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
