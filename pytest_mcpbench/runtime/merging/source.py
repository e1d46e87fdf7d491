"""Contents of one directory of records that takes part in a merge."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.core.suite_names import qualified_name
from pytest_mcpbench.runtime.line_file import DamagedRecordWarning, counted_losses, first_fault, warn
from pytest_mcpbench.runtime.records import lost_records, read_facts_now, read_records, require_records


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
    ambiguous = {name for name, known in versions.items() if _are_different_suites(known)}
    return [_rename_suites(source, ambiguous) for source in sources]


def _are_different_suites(versions: Collection[tuple[str, str]]) -> bool:
    """Return whether each file has one version of its own; two versions of one file are not two suites."""
    files = {file for file, _ in versions}
    return len(files) == len(versions) == len({digest for _, digest in versions}) > 1 and "" not in files


def _rename_suites(source: SourceRun, names: Collection[str]) -> SourceRun:
    new_names = {name: qualified_name(name, source.suites[name]["file"]) for name in names if name in source.suites}
    renamed = {
        part: {new_names.get(name, name): about for name, about in source.facts[part].items()}
        for part in ("contents", "suites")
        if isinstance(source.facts.get(part), Mapping)
    }
    return replace(source, facts={**source.facts, **renamed})


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
        records = {record.attempt: _summary(directory, ref, record) for ref, record in read_records(directory)}
    return SourceRun(directory, facts, records, lost_records(facts) + len(losses))


def _summary(directory: Path, ref: RecordRef, record: RunRecord) -> RecordSummary:
    return RecordSummary(directory, ref, record.task_hash, record.outcome == "error", record.started_at)
