"""Finished attempts of an earlier run, reused by ``--mcpbench-resume``."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.record import RunRecord
    from pytest_mcpbench.plugin.collection.arms import Arms
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.runtime.arms.recorded_run import RecordedRun

BASELINE = "baseline"
Key = tuple[str, str | None, str, str, str, int]


class EarlierAttempts:
    """Attempts of the run directory that is resumed; without one there are none."""

    def __init__(self, directory: Path | None, arms: "Arms") -> None:
        self._directory = directory
        self._arms = arms

    def evidence(self, job: "Job") -> "AttemptEvidence | None":
        """Return the evidence for the same test, task, model, trial and settings, unless the attempt was an error.

        The evidence of the baseline's first trials is that of the earlier run that is the baseline.
        """
        if job.arm == BASELINE and self._arms.recorded_run is not None:
            return self._recorded(self._arms.recorded_run, job)
        if self._directory is None:
            return None
        return self._finished.get(_key_of_job(job))

    def _recorded(self, run: "RecordedRun", job: "Job") -> "AttemptEvidence | None":
        record = run.record(job.suite, job.task, job.model, job.trial)
        return record.evidence if record is not None and record.outcome != "error" else None

    @functools.cached_property
    def _finished(self) -> "dict[Key, AttemptEvidence]":
        from pytest_mcpbench.runtime.records import read_records

        assert self._directory is not None
        return {
            _key_of_record(record): record.evidence
            for _, record in read_records(self._directory)
            if record.evidence is not None and record.outcome != "error"
        }


def _key_of_job(job: "Job") -> Key:
    from pytest_mcpbench.plugin.collection.settings_hash import settings_hash

    return job.suite.name, job.test, job.task.hash, settings_hash(job), job.model, job.trial


def _key_of_record(record: "RunRecord") -> Key:
    return record.suite, record.test, record.task_hash, record.settings_hash, record.model, record.trial
