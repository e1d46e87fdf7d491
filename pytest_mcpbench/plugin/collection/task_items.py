"""Task files as pytest modules, tasks as pytest functions."""

import os
from collections.abc import Iterable, Iterator
from typing import Any, Self

import pytest

from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.planning import NOT_ROUTABLE
from pytest_mcpbench.metrics.reference_matching import MatchReferences, deciding_matching
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import explanations, jobs, suite_loading, suite_paths
from pytest_mcpbench.plugin.collection.failures import AttemptError, ShortfallError
from pytest_mcpbench.plugin.collection.item_state import ARMS, ITEM_STATE
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.suite_files.loading import require_name_in_utf8


class TaskFile(pytest.Module):
    """A suite.toml or a file of tasks; its children are the tasks, one for each model and trial."""

    obj = None  # there is no Python module that pytest could import

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker(pytest.mark.mcpbench)

    @classmethod
    def from_parent(cls, parent: Any, **arguments: Any) -> Self:
        node_id = suite_paths.node_id(arguments["path"], parent.config)
        try:
            require_name_in_utf8(node_id)
        except McpBenchError as error:
            # Not in collect(): pytest cannot store the id of a file that failed there.
            raise cls.CollectError(str(error)) from None
        return super().from_parent(parent, nodeid=node_id, **arguments)

    def collect(self) -> Iterable["TaskItem"]:
        try:
            suite, records = suite_loading.load(self.path, self.config)
            checked = suite_loading.warn_about_records(self, suite, records)
            settings = self.config.stash[SETTINGS]
            variants = [(each, *suite_loading.load_variant(self.path, self.config, each)) for each in settings.variants]
        except (McpBenchError, pytest.UsageError, suite_loading.TaskWarning) as error:
            raise self.CollectError(str(error)) from None
        if variants:
            return self._items(jobs.jobs_of_variants(variants, settings))
        arms = self.config.stash[ARMS].collect(self.path, suite, checked) if ARMS in self.config.stash else ()
        return self._items(jobs.jobs_of_records(suite, checked, settings, arms=arms))

    def _items(self, file_jobs: Iterable[Job]) -> Iterator["TaskItem"]:
        """Yield the items. All use the same fixtures, so pytest looks these up only for the first one."""
        shared: dict[str, Any] = {}
        for job in file_jobs:
            item = TaskItem.from_parent(self, name=f"{job.loaded.id}[{job.label}]", job=job, **shared)
            shared = {"fixtureinfo": item._fixtureinfo}
            yield item


class TaskItem(pytest.Function):
    """One attempt at one task: its setup runs the attempt, its call asserts the scores."""

    def __init__(self, *, job: Job, **arguments: Any) -> None:
        super().__init__(callobj=assert_floors, **arguments)
        self.job = job
        self.extra_keyword_matches.update(_keywords(job))
        for mark in jobs.marks_of(job):
            self.add_marker(mark)

    def setup(self) -> None:
        """Refuse a task that every attempt would pass (in route mode, skip it), then set up its fixtures."""
        if self.job.loaded.task is not None and not self.job.floors and self.job.suite.route:
            pytest.skip(NOT_ROUTABLE)
        if self.job.loaded.task is not None and not self.job.floors:
            error = TaskError(
                "nothing is expected of an attempt, so every attempt would pass.",
                self.job.loaded.place,
                remedy="Add tool, calls, never, answer, claims, state or verify; or give a metric a floor.",
            )
            raise AttemptError(error)
        super().setup()

    @property
    def id(self) -> Any:
        """Node id in parts, split in the same way as the ids that pytest has stored for ``--lf``."""
        return type(super().id).parse(self.nodeid)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # as Function's
        """Return the message of an error of this plugin without a traceback, which would cost 1 ms and show nothing."""
        ours = (McpBenchError, AttemptError, ShortfallError)
        return str(excinfo.value) if isinstance(excinfo.value, ours) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        line = self.job.loaded.place.line or 1
        return self.path, line - 1, self.name


def assert_floors(mcp_item: Any, mcp_scorecard: Any) -> None:
    """Fail if a score is below its floor, skip if one is missing: the test function of every task."""
    item: pytest.Item = mcp_item.item
    state = item.stash[ITEM_STATE]
    if mcp_scorecard.shortfalls:
        secrets = known_secrets(item.config)
        # Before the texts are wrapped and truncated, which would leave parts of a secret.
        parts = map(secrets.remove_from_model, (state.job.task, state.evidence, mcp_scorecard))
        raise ShortfallError(explanations.explain_shortfalls(*parts, match=_deciding_matching(state.job)))
    if mcp_scorecard.unscored:
        pytest.skip(explanations.explain_unscored(mcp_scorecard))


def _deciding_matching(job: Job) -> MatchReferences:
    return deciding_matching(job.description.metrics, job.floors)


def _keywords(job: Job) -> set[str]:
    """Return the words that ``-k`` matches in addition to the item's name."""
    task = job.loaded.task
    return {job.suite.name, *(task.tags.values() if task else ()), *(task.servers if task else ())}
