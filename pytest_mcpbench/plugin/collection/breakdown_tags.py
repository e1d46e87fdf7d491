"""Check of the tags of ``--mcpbench-by`` against those of the collected tasks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.tag_selection import unknown_tag
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.deselection import refuse

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class BreakdownTags:
    """Ends a run before its first task if a table is wanted by a tag that no task has."""

    def __init__(self, tags: Sequence[str], channel: "WorkerChannel") -> None:
        self._tags = tags
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Look before any task is deselected."""
        tasks = [job.loaded.task for item in items if (job := jobs.job_of_item(item)) and job.loaded.task]
        known = sorted({tag for task in tasks for tag in task.tags}, key=natural_key)
        unknown = next((tag for tag in self._tags if tag not in known), None)
        if not tasks or session.testsfailed or unknown is None:
            return
        refuse(f"--mcpbench-by: {unknown_tag(unknown, known)}", items, self._channel)
