"""Deselection of the tasks that are not in the sample (``--mcpbench-sample``)."""

from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.task_sample import SampledTask, TaskSample
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.deselection import deselect, refuse

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class Sampling:
    """Deselects the tasks outside of the sample; tests without a task and broken records stay."""

    def __init__(self, sample: TaskSample, channel: "WorkerChannel") -> None:
        self._sample = sample
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect after ``--mcpbench-tag``, whose tasks are sampled, and before ``-k`` and ``--mcpbench-shard``."""
        owners = {item: job for item in items if (job := jobs.job_of_item(item)) is not None and job.loaded.task}
        if not owners:
            return
        problem = self._sample.find_problem(job.loaded.task.tags for job in owners.values() if job.loaded.task)
        if problem is not None and not session.testsfailed:
            refuse(f"--mcpbench-sample: {problem}", items, self._channel)
            return
        tasks = {item: self._task_of(job) for item, job in owners.items()}
        drawn = self._sample.draw(tasks.values())
        dropped = {item for item, task in tasks.items() if task not in drawn}
        deselect(dropped, items, config)

    def _task_of(self, job: "Job") -> SampledTask:
        tags = job.loaded.task.tags if job.loaded.task else {}
        return self._sample.sampled(f"{job.suite.directory}/{job.suite.name}", job.loaded.id, tags)
