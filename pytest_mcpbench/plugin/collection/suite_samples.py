"""Deselection of the tasks that are not in the sample of their suite (``[sample]`` in suite.toml)."""

from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.plugin.collection.deselection import deselect

if TYPE_CHECKING:
    from pytest_mcpbench.core.selection import SampledTask
    from pytest_mcpbench.plugin.collection.jobs import Job


class SuiteSamples:
    """Draws the sample of each suite that has one from the tasks that ``-k`` and tags select."""

    def __init__(self) -> None:
        self._sizes: dict[str, tuple[int, int]] = {}
        """Suite -> number of tasks in its sample, and of those that it was drawn from."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for name, jobs_of_suite in _items_by_suite(items).items():
            tasks = {item: task for item, job in jobs_of_suite.items() if (task := _task_of(job)) is not None}
            sample = next(iter(jobs_of_suite.values())).suite.sample
            drawn = sample.draw(tasks.values()) if sample else set()
            self._sizes[name] = len(drawn), len(set(tasks.values()))
            deselect({item for item, task in tasks.items() if task not in drawn}, items, config)

    def pytest_report_collectionfinish(self) -> list[str]:
        return [
            f"mcpbench: {suite}: a sample of {size} of {total} tasks; --suite={suite}:full runs all"
            for suite, (size, total) in self._sizes.items()
            if size < total
        ]


def _items_by_suite(items: list[pytest.Item]) -> "dict[str, dict[pytest.Item, Job]]":
    """Return the jobs of the items of each suite that has a sample."""
    by_suite: dict[str, dict[pytest.Item, Job]] = {}
    if not any(item.get_closest_marker("mcpbench") for item in items):
        return by_suite
    # Imported only if there is a task: it brings pydantic.
    from pytest_mcpbench.plugin.collection import jobs

    for item in items:
        job = jobs.job_of_item(item)
        if job is not None and job.suite.sample is not None:
            by_suite.setdefault(job.suite.name, {})[item] = job
    return by_suite


def _task_of(job: "Job") -> "SampledTask | None":
    """Return the task as the suite's sample looks at it; ``None`` for a broken record, which always stays."""
    task, sample = job.loaded.task, job.suite.sample
    return sample.sampled(job.suite.directory, job.loaded.id, task.tags) if task and sample else None
