"""Finished attempts of an earlier run, taken instead of being made again."""

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.settings_hash import settings_hash
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.records import read_records

Key = tuple[str, str | None, str, str, str, int]
EARLIER = pytest.StashKey[dict[Key, AttemptEvidence]]()


def run_of(config: pytest.Config, job: Job) -> AttemptEvidence | None:
    """The run of the same test, task, model, trial and settings; errors are made again."""
    if EARLIER not in config.stash:
        config.stash[EARLIER] = _finished(config)
    return config.stash[EARLIER].get(_key(job))


def _key(job: Job) -> Key:
    return job.suite.name, job.test, job.task.hash, settings_hash(job), job.model, job.trial


def _finished(config: pytest.Config) -> dict[Key, AttemptEvidence]:
    directory = config.stash[SETTINGS].resume
    assert directory is not None
    return {
        (record.suite, record.test, record.task_hash, record.settings_hash, record.model, record.trial): record.evidence
        for _, record in read_records(directory)
        if record.evidence is not None and record.outcome != "error"
    }
