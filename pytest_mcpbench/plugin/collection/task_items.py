"""Task files as pytest modules, tasks as pytest functions."""

import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.planning import NOT_ROUTABLE
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.reference_matching import deciding_matching
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.workers import is_further_worker
from pytest_mcpbench.plugin.collection import jobs, suite_paths
from pytest_mcpbench.plugin.collection.failures import AttemptError, ShortfallError
from pytest_mcpbench.plugin.collection.item_state import ARMS, ITEM_STATE
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.collection.suites import collect_suite, collect_variant
from pytest_mcpbench.reporting.texts import failures
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

    def collect(self) -> Iterator["TaskItem"]:
        """Return the items. All use the same fixtures, so pytest looks these up only for the first one."""
        try:
            suite, records = collect_suite(self.path, self.config)
            checked = _warn_about_records(self, suite, records)
            settings = self.config.stash[SETTINGS]
            variants = [(each, *collect_variant(self.path, self.config, each)) for each in settings.variants]
            if variants:
                file_jobs = jobs.jobs_of_variants(variants, settings)
            else:
                arms = self.config.stash[ARMS].collect(self.path, suite, checked) if ARMS in self.config.stash else ()
                file_jobs = jobs.jobs_of_records(suite, checked, settings, arms=arms)
        except (McpBenchError, pytest.UsageError, TaskWarning) as error:
            raise self.CollectError(str(error)) from None
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
        self._hooks: Any = None
        task = job.loaded.task
        words = (*task.tags.values(), *task.servers) if task else ()
        # What -k matches in addition to the name of the item.
        self.extra_keyword_matches.update((job.suite.name, *words))
        for mark in jobs.marks_of(job):
            self.add_marker(mark)

    @property
    def ihook(self) -> Any:
        """The hooks that see this item: those of plugins, and of each ``conftest.py`` in and above its directory."""
        # pytest finds the files again at each of 24 uses. It imports none after the collection.
        return self._hooks or super().ihook

    def setup(self) -> None:
        """Refuse a task that every attempt would pass (in route mode, skip it), then set up its fixtures."""
        self._hooks = super().ihook
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
    job = state.job
    if mcp_scorecard.shortfalls:
        secrets = known_secrets(item.config)
        # Before the texts are wrapped and truncated, which would leave parts of a secret.
        task, evidence, card = map(secrets.remove_from_model, (job.task, state.evidence, mcp_scorecard))
        match = deciding_matching(job.description.metrics, job.floors)
        rows = comparison_rows(match(task.expected.flat_calls, task, evidence))
        columns = max(80, min(160, shutil.get_terminal_size((120, 24)).columns))
        raise ShortfallError(failures.shortfall_message(task, evidence, card, rows, columns=columns))
    if mcp_scorecard.unscored:
        pytest.skip(failures.unscored_message(mcp_scorecard))


# Warnings of loaders about records that they could read: one short pytest warning per suite.

_SHOWN = 5


class TaskWarning(pytest.PytestWarning):
    """Problem in a task file that its author should look at; the task runs all the same."""


def _warn_about_records(file: pytest.Module, suite: SuiteManifest, records: Sequence[LoadedTask]) -> list[LoadedTask]:
    """Issue the warnings; if pytest turns warnings into errors, return errors in place of the records concerned."""
    config = file.config

    def warn(text: str) -> None:
        # All workers collect the same, and the controller shows every warning: one of them is enough.
        with warnings.catch_warnings(record=True) if is_further_worker(config) else nullcontext():
            warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(file.path, config), 0)

    for warning in suite.warnings:
        warn(warning)
    lines = [f"{each.place}: {warning}" for each in records for warning in _without_place(each)]
    if not lines:
        return list(records)
    directory = suite_paths.node_id(Path(suite.directory), config)
    shown = lines if config.get_verbosity() > 0 else lines[:_SHOWN]
    more = [f"and {len(lines) - len(shown)} more, which -v shows"] if len(shown) < len(lines) else []
    short = [line.replace(f"{directory}/", "") for line in shown]
    count = "1 warning" if len(lines) == 1 else f"{len(lines)} warnings"
    try:
        warn("\n  ".join((f"{count} about tasks of {suite.name} in {directory}", *short, *more)))
    except TaskWarning:
        return [
            replace(each, task=None, error=TaskError(_without_place(each)[0], each.place))
            if each.warnings and each.error is None
            else each
            for each in records
        ]
    return list(records)


def _without_place(record: LoadedTask) -> list[str]:
    """Return the warnings about a record without its place, with which some loaders begin them."""
    return [warning.removeprefix(f"{record.place}: ") for warning in record.warnings]
