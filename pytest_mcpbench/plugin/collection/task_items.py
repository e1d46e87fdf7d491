"""Task files as pytest modules, tasks as pytest functions."""

import os
from collections.abc import Iterable, Iterator
from typing import Any, Self

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.plugin.collection import jobs, loader_warnings, suite_loading, suite_paths
from pytest_mcpbench.plugin.collection.failures import AttemptError, ShortfallError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.options.settings import SETTINGS


class TaskFile(pytest.Module):
    """A suite.toml or a file of tasks; its children are the tasks, one for each model and trial."""

    obj = None  # no Python module stands behind it

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker(pytest.mark.mcpbench)

    @classmethod
    def from_parent(cls, parent: Any, **arguments: Any) -> Self:
        return super().from_parent(parent, nodeid=suite_paths.node_id(arguments["path"], parent.config), **arguments)

    def collect(self) -> Iterable["TaskItem"]:
        try:
            suite, records = suite_loading.load(self.path, self.config)
            checked = loader_warnings.warn_about_records(self, suite, records)
        except (McpBenchError, pytest.UsageError, loader_warnings.TaskWarning) as error:
            raise self.CollectError(str(error)) from None
        return self._items(jobs.of_records(suite, checked, self.config.stash[SETTINGS]))

    def _items(self, made: Iterable[Job]) -> Iterator["TaskItem"]:
        """The items; all ask for the same fixtures, so that the first one's search for them serves every other."""
        shared: dict[str, Any] = {}
        for job in made:
            item = TaskItem.from_parent(self, name=f"{job.loaded.id}[{job.label}]", job=job, **shared)
            shared = {"fixtureinfo": item._fixtureinfo}
            yield item


class TaskItem(pytest.Function):
    """One attempt at one task: set-up makes the attempt, the call asserts its scores."""

    def __init__(self, *, job: Job, **arguments: Any) -> None:
        super().__init__(callobj=assert_floors, **arguments)
        self.job = job
        self.extra_keyword_matches.update(_words(job))

    @property
    def id(self) -> Any:
        """The node id in parts; split as pytest splits the ids that it remembers, for ``--lf``."""
        return type(super().id).parse(self.nodeid)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # as Function's
        """What our own errors say; they need no traceback, and pytest takes 1 ms to make one."""
        ours = (McpBenchError, AttemptError, ShortfallError)
        return str(excinfo.value) if isinstance(excinfo.value, ours) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        line = self.job.loaded.place.line or 1
        return self.path, line - 1, self.name


def assert_floors(request: pytest.FixtureRequest, mcp_scorecard: Any) -> None:
    """The test function of every task."""
    from pytest_mcpbench.plugin.collection import explanations

    state = request.node.stash[ITEM_STATE]
    if mcp_scorecard.shortfalls:
        raise ShortfallError(explanations.of_shortfalls(state.job, state.evidence, mcp_scorecard))
    if mcp_scorecard.unscored:
        pytest.skip(explanations.of_unscored(mcp_scorecard))


def _words(job: Job) -> set[str]:
    """What ``-k`` finds the item by, beside its name."""
    task = job.loaded.task
    return {job.suite.name, *(task.tags.values() if task else ()), *(task.servers if task else ())}
