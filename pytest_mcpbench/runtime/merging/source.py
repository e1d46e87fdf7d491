"""Contents of one directory of records that takes part in a merge."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.record import AttemptKey, RunRecord
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.core.run_settings import read_settings
from pytest_mcpbench.runtime.records import read_facts, read_records, require_records


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

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings that the run was started with."""
        return read_settings(self.facts)

    @property
    def suites(self) -> Mapping[str, Mapping[str, Any]]:
        """Hash and task ids of each suite; empty for a run that did not store them."""
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


def read_source(directory: Path) -> SourceRun:
    """Read one directory of records.

    Raises:
        TaskError: the directory contains neither records nor the facts of a run.
    """
    facts = read_facts(directory)
    # A shard may have no task at all: then it has facts, but no records.
    if not facts.get("contents"):
        require_records(directory)
    # Full records are not kept: the trajectories of several runs may not fit into memory.
    records = {record.attempt: _summary(directory, ref, record) for ref, record in read_records(directory)}
    return SourceRun(directory, facts, records)


def _summary(directory: Path, ref: RecordRef, record: RunRecord) -> RecordSummary:
    return RecordSummary(directory, ref, record.task_hash, record.outcome == "error", record.started_at)
