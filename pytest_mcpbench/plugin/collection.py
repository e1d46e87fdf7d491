"""Task files as pytest modules, tasks as pytest functions."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from pytest_mcpbench.core.errors import McpBenchError, Place, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin import contents, jobs, public_data, remarks, suites
from pytest_mcpbench.plugin.catalogue import catalogue_of
from pytest_mcpbench.plugin.failure import AttemptError, ShortfallError
from pytest_mcpbench.plugin.jobs import Job
from pytest_mcpbench.plugin.options import SETTINGS
from pytest_mcpbench.plugin.state import RUN_STATE, SUITES
from pytest_mcpbench.runtime.briefing import files
from pytest_mcpbench.runtime.suites import server_names


class TaskFile(pytest.Module):
    """A suite.toml or a file of tasks; its children are the tasks, one for each model and trial."""

    obj = None  # no Python module stands behind it

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker(pytest.mark.mcpbench)

    @classmethod
    def from_parent(cls, parent: Any, **arguments: Any) -> Self:
        return super().from_parent(parent, nodeid=suites.node_id(arguments["path"], parent.config), **arguments)

    def collect(self) -> Iterable["TaskItem"]:
        try:
            suite, records = load(self.path, self.config)
            checked = remarks.give(self, suite, records)
        except (McpBenchError, pytest.UsageError, remarks.TaskWarning) as error:
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
    from pytest_mcpbench.plugin import explanation

    state = request.node.stash[RUN_STATE]
    if mcp_scorecard.shortfalls:
        raise ShortfallError(explanation.of_shortfalls(state.job, state.run, mcp_scorecard))
    if mcp_scorecard.unscored:
        pytest.skip(explanation.of_unscored(mcp_scorecard))


def load(path: Path, config: pytest.Config) -> tuple[SuiteManifest, list[LoadedTask]]:
    """The suite that a suite.toml or a stand-alone task file describes, with the records of its files.

    Both are as they are under the conditions that the command line asks for.
    """
    catalogue = catalogue_of(config)
    settings = config.stash[SETTINGS]
    suite = catalogue.manifest(path).under(settings.conditions)
    found = _records(suite, config)
    records = list(_unique(found) if settings.data is None else public_data.first_of_each(found))
    if suite.recorded:
        suite, records = public_data.on_recorded_servers(suite, records)
    config.stash.setdefault(SUITES, {})[suite.name] = suite
    contents.remember(config, suite, records)
    return suite, [server_names.checked(record, suite) for record in files.brief(suite, records)]


def _records(suite: SuiteManifest, config: pytest.Config) -> Iterator[LoadedTask]:
    catalogue = catalogue_of(config)
    for file in suite.files:
        try:
            yield from catalogue.records(suite, file)
        except McpBenchError as error:
            place = Place(file.path)
            wrapped = error if isinstance(error, TaskError) else TaskError(str(error), place)
            yield LoadedTask(place, id=Path(file.path).stem, error=wrapped)


def _unique(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """The records, with an id that an earlier file has already used turned into an error that names both places."""
    first: dict[str, LoadedTask] = {}
    for record in records:
        earlier = first.setdefault(record.id, record)
        if earlier is record:
            yield record
            continue
        problem = TaskError(f"the id {record.id!r} is already used at {earlier.place}", record.place, field="id")
        copy = LoadedTask(record.place, id=f"{record.id}.{len(first)}", error=record.error or problem)
        first[copy.id] = copy
        yield copy


def _words(job: Job) -> set[str]:
    """What ``-k`` finds the item by, beside its name."""
    task = job.loaded.task
    return {job.suite.name, *(task.tags.values() if task else ()), *(task.servers if task else ())}
