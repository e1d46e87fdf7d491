"""Finished attempts that need not be repeated: of an earlier run, of crashed workers, and of a recorded baseline."""

import functools
from pathlib import Path

from pytest_mcpbench.core.arm import BASELINE
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import RecordRef
from pytest_mcpbench.plugin.collection.arms import Arms
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.lost_workers import notes_file, size_of_notes
from pytest_mcpbench.runs.arms.recorded_run import RecordedRun
from pytest_mcpbench.runs.evidence_journal import journal_name, read_descriptions
from pytest_mcpbench.runs.records import read_record, read_records

Key = tuple[str, str | None, str, str, str, int, str]
"""Suite, test, digests of task and settings, model, trial and arm: attempts with the same ones are equal."""


class EarlierAttempts:
    """Attempts of the run directory that is resumed, and of crashed workers of this run.

    Args:
        directory: Directory that is resumed, if any.
        own: Directory of this run.
        process: Name of this process in the files of the run.
        arms: Arms of this run, if it is a comparison; one may be an earlier run.
    """

    def __init__(self, directory: Path | None, own: Path, process: str, arms: Arms | None) -> None:
        self._directory = directory
        self._lost = LostAttempts(own, process)
        self._arms = arms

    def has(self, job: Job) -> bool:
        """Return whether there is a finished attempt at the job."""
        baseline = self._baseline if job.arm == BASELINE else None
        if baseline is not None:
            return self._recorded(baseline, job) is not None
        key = _key_of_job(job) if self._directory is not None or self._lost.exist else None
        return key is not None and (key in self._finished or self._lost.has(key))

    def attempt(self, job: Job) -> RunRecord | None:
        """Return the record for the same test, task, model, trial and settings, unless the attempt was an error.

        For the arm ``baseline`` it is the record of the run that ``--mcpbench-baseline`` names, if that is a run.
        """
        baseline = self._baseline if job.arm == BASELINE else None
        if baseline is not None:
            return self._recorded(baseline, job)
        if not self.has(job):
            return None
        key = _key_of_job(job)
        ref = self._finished.get(key)
        return self._lost.read(key) if ref is None or self._directory is None else read_record(self._directory, ref)

    def is_of_earlier_run(self, job: Job) -> bool:
        """Return whether the attempt that :meth:`attempt` returns was made, and paid, by an earlier run."""
        return job.arm == BASELINE or _key_of_job(job) in self._finished

    @property
    def _baseline(self) -> RecordedRun | None:
        return self._arms.recorded_run if self._arms is not None else None

    def _recorded(self, run: RecordedRun, job: Job) -> RunRecord | None:
        record = run.record(job.suite, job.task, job.model, job.trial)
        return record if record is not None and record.outcome != "error" else None

    @functools.cached_property
    def _finished(self) -> dict[Key, RecordRef]:
        """Places of the records. Evidence is read when it is needed: that of all attempts may not fit into memory."""
        if self._directory is None:
            return {}

        return {
            _key(record): ref
            for ref, record in read_records(self._directory)
            if record.evidence is not None and record.outcome != "error"
        }


class LostAttempts:
    """Attempts of this run that had ended in workers which crashed before pytest came to their items."""

    def __init__(self, directory: Path, process: str) -> None:
        self._directory = directory
        self._process = process
        self._notes = notes_file(directory)
        self._known_size = 0
        self._refs: dict[Key, RecordRef] = {}

    @property
    def exist(self) -> bool:
        """Return whether a worker has crashed; if another one has, read the journals again."""
        size = size_of_notes(self._notes)
        if size != self._known_size:
            self._known_size = size
            own = journal_name(self._process)
            descriptions = read_descriptions(self._directory)
            self._refs = {_key(description): ref for ref, description in descriptions if ref.file != own}
        return bool(self._refs)

    def has(self, key: Key) -> bool:
        """Return whether a crashed worker had finished the attempt."""
        return key in self._refs

    def read(self, key: Key) -> RunRecord:
        """Return the record of an attempt that :meth:`has` knows, once: a repeated item is a new attempt."""
        return read_record(self._directory, self._refs.pop(key))


def _key_of_job(job: Job) -> Key:
    return _key(job.description)


def _key(record: RunRecord | AttemptDescription) -> Key:
    return (
        record.suite,
        record.test,
        record.task_hash,
        record.settings_hash,
        record.model,
        record.trial,
        record.arm,
    )
