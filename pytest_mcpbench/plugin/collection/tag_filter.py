"""Deselection of the tasks that lack a tag (``--mcpbench-tag``)."""

from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.tag_selection import TagSelection
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.deselection import deselect, refuse

if TYPE_CHECKING:
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class TagFilter:
    """Deselects tasks by their tags.

    Tests without a task stay, and so does a broken record: its tags are unknown.
    """

    def __init__(self, selection: TagSelection, channel: "WorkerChannel") -> None:
        self._selection = selection
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect before ``-k`` and ``--mcpbench-shard``: a tag is unknown only if no collected task has it."""
        tasks = {item: task for item in items if (task := _task_of(item)) is not None}
        problem = self._selection.find_problem(task.tags for task in tasks.values()) if tasks else None
        if problem is not None and not session.testsfailed:
            refuse(f"--mcpbench-tag: {problem}", items, self._channel)
            return
        dropped = {item for item, task in tasks.items() if not self._selection.selects(task.tags)}
        deselect(dropped, items, config)


def _task_of(item: pytest.Item) -> "Task | None":
    job = jobs.job_of_item(item)
    return None if job is None else job.loaded.task
