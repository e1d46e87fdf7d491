"""Deselection of items by the options of this plugin and by the samples of suites (``[sample]`` in suite.toml)."""

from collections.abc import Container
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.selection import TaskSample
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.collection.jobs import Job


def deselect(dropped: Container[pytest.Item], items: list[pytest.Item], config: pytest.Config) -> None:
    """Remove the dropped items from the list, and report them to pytest if there are any."""
    removed = [item for item in items if item in dropped]
    if removed:
        config.hook.pytest_deselected(items=removed)
        items[:] = [item for item in items if item not in dropped]


def refuse(message: str, items: list[pytest.Item], channel: "WorkerChannel") -> None:
    """End the run; a worker of pytest-xdist collects nothing and leaves that to the controller."""
    if not channel.is_worker:
        raise pytest.UsageError(message)
    channel.output.usage_error = message
    items.clear()


class SuiteSamples:
    """Draws the sample of each suite that has one from the tasks that ``-k`` and tags select."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[str, TaskSample], tuple[int, int]] = {}
        """Suite and sample -> number of tasks in the sample, and of those that it was drawn from."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for (suite, sample), jobs_of_sample in _items_by_sample(items).items():
            # A broken line of a task file always stays.
            tasks = {
                item: sample.sampled(job.suite.directory, job.loaded.id, task.tags)
                for item, job in jobs_of_sample.items()
                if (task := job.loaded.task) is not None
            }
            drawn = sample.draw(tasks.values())
            self._sizes[suite, sample] = len(drawn), len(set(tasks.values()))
            deselect({item for item, task in tasks.items() if task not in drawn}, items, config)

    def pytest_report_collectionfinish(self) -> list[str]:
        return [
            f"mcpbench: {suite}: a sample of {size} of {total} tasks ({sample}); --suite={suite}:full runs all"
            for (suite, sample), (size, total) in self._sizes.items()
            if size < total
        ]


def _items_by_sample(items: list[pytest.Item]) -> "dict[tuple[str, TaskSample], dict[pytest.Item, Job]]":
    """Return the jobs of the items of each suite that has a sample; marked tests may name several of one suite."""
    by_sample: dict[tuple[str, TaskSample], dict[pytest.Item, Job]] = {}
    if not any(item.get_closest_marker("mcpbench") for item in items):
        return by_sample
    # Imported only if there is a task: it brings pydantic.
    from pytest_mcpbench.plugin.collection import jobs

    for item in items:
        job = jobs.job_of_item(item)
        if job is not None and job.suite.sample is not None:
            by_sample.setdefault((job.suite.name, job.suite.sample), {})[item] = job
    return by_sample
