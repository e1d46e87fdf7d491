"""Comparisons of the arms of suites with the servers as they are now, before anything is spent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_mcpbench.core.arm import Arm
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.planning import plan_task
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.compatibility import DefinitionChange
from pytest_mcpbench.definitions.lock import LOCK_ENDING
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.arms import Arms
from pytest_mcpbench.plugin.collection.item_fixtures import item_fixtures
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.engines import LocalAttempts
from pytest_mcpbench.runs.arms.compatibility import (
    ArmChanges,
    changes_between_arms,
    changes_of,
    require_fitting_calls,
    visible_definition,
    visible_definitions,
)
from pytest_mcpbench.suite_files.configured_servers import ids_in_locks
from pytest_mcpbench.suite_files.locks import LocalPaths, read_lock_file
from pytest_mcpbench.suite_files.server_paths import absolute

SAME = "agents see the same definitions in both arms, so there is nothing to measure"


@dataclass(frozen=True)
class SuiteComparison:
    """Arms of one suite, with all that is known of them before the first attempt."""

    suite: SuiteManifest
    records: Mapping[str, LoadedTask]
    """Tasks by id."""
    arms: Mapping[str, Arm]
    reference: str
    """Name of the arm that the others are compared with."""
    definitions: Mapping[str, Mapping[str, ServerDefinition]]
    """Definitions that agents see, by arm and server."""
    dropped: Mapping[str, str]
    """Task -> why it cannot be compared."""
    accepted: frozenset[tuple[str, str]]
    """Server and name of the tools of which the lock beside the suite has the present definition."""
    is_same: bool
    """Whether agents see the same in all arms, without having been asked to be compared like that."""

    def changes_to(self, arm: str) -> tuple[DefinitionChange, ...]:
        """Return the changes of what agents see, from the reference to another arm."""
        return changes_between_arms(self.definitions[self.reference], self.definitions[arm])

    def changed_tools(self, arm: str) -> dict[tuple[str, str], tuple[ToolDefinition, ToolDefinition]]:
        """Return the tools that both arms have with different definitions, which are the values.

        The keys are the names of server and tool.
        """
        before, after = self.definitions[self.reference], self.definitions[arm]
        return {
            (server, tool.name): (tool, other)
            for server in before.keys() & after.keys()
            for tool in before[server].tools
            if (other := after[server].tool(tool.name)) is not None and other != tool
        }


class ArmComparisons:
    """Comparisons by the file of the suite; the servers are asked for their definitions once."""

    def __init__(self, arms: Arms, local: LocalAttempts, settings: Settings) -> None:
        self._arms = arms
        self._local = local
        self._settings = settings
        self._made: dict[Path, SuiteComparison] = {}

    def check(self, jobs: Mapping[pytest.Item, Job]) -> None:
        """Raise a usage error if the arms cannot be compared; skip the items for which nothing has to run."""
        if self._arms.problem is not None:
            raise pytest.UsageError(self._arms.problem)
        if self._settings.resume is not None:
            raise pytest.UsageError(
                "--mcpbench-resume cannot tell whether an attempt saw the server as it is now; "
                "use an earlier run as --mcpbench-baseline=DIR"
            )
        compared = {item: job for item, job in jobs.items() if job.arm}
        if jobs and not compared:
            raise pytest.UsageError("only tasks in task files and suites can be compared, and this run has none")
        _require_own_fixtures(compared)
        for item, job in compared.items():
            comparison = self.of_file(item.path)
            reason = SAME if comparison.is_same else comparison.dropped.get(job.loaded.id)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))

    def of_file(self, file: Path) -> SuiteComparison:
        """Return the comparison of the suite that was read from a file."""
        if file not in self._made:
            self._made[file] = self._compare(file, *self._arms.suites[file])
        return self._made[file]

    def _compare(self, file: Path, suite: SuiteManifest, records: Sequence[LoadedTask]) -> SuiteComparison:
        arms = {arm.name: arm for arm in self._arms.of_suite(file, suite)}
        now = self._definitions(suite, {name for arm in arms.values() for name in (*arm.shown_tools, *arm.servers)})
        changes = {arm.name: self._changes(arm, suite, now) for arm in arms.values() if arm.shown_tools}
        overrides = self._settings.overrides
        tasks = {
            record.id: plan_task(suite, record.task, overrides).task for record in records if record.task is not None
        }
        dropped: dict[str, str] = {}
        run = self._arms.recorded_run
        if run is not None:
            self._check_run(suite, set(tasks))
            dropped = run.dropped(suite, tasks)
        differing = [
            arm for arm in arms.values() if arm.servers or (arm.name in changes and not changes[arm.name].is_same)
        ]
        return SuiteComparison(
            suite=suite,
            records={record.id: record for record in records},
            arms=arms,
            reference=next(iter(arms)),
            definitions={
                arm.name: visible_definitions(arm, {**now, **self._started(arm, suite)}) for arm in arms.values()
            },
            dropped=dropped,
            accepted=frozenset(_accepted_tools(file, suite, now)),
            is_same=not differing and not self._settings.aa,
        )

    def _definitions(self, suite: SuiteManifest, servers: Iterable[str]) -> dict[str, ServerDefinition]:
        """Return the definitions of the servers that start; the attempts report the others."""
        found = {}
        for name in sorted(servers):
            try:
                found[name] = self._local.definition(absolute(suite.servers[name], Path(suite.directory)))
            except McpBenchError:
                continue
        return found

    def _started(self, arm: Arm, suite: SuiteManifest) -> dict[str, ServerDefinition]:
        """Return the definitions of the servers that run in an arm only; raise a usage error if one does not start."""
        try:
            return {
                name: self._local.definition(absolute(server, Path(suite.directory)))
                for name, server in arm.servers.items()
            }
        except McpBenchError as error:
            raise pytest.UsageError(f"{self._arms.option(arm.name)}={arm.source}: {error}") from None

    def _changes(self, arm: Arm, suite: SuiteManifest, now: Mapping[str, ServerDefinition]) -> ArmChanges:
        try:
            changes = changes_of(arm, now)
            if not suite.route:
                require_fitting_calls(changes)
        except UsageError as error:
            raise pytest.UsageError(f"{self._arms.option(arm.name)}={arm.source}: {error}") from None
        return changes

    def _check_run(self, suite: SuiteManifest, task_ids: set[str]) -> None:
        run = self._arms.recorded_run
        assert run is not None
        try:
            models = tuple(map(public_name, self._settings.models))
            run.check(suite, task_ids, models=models, temperature=self._settings.temperature)
        except UsageError as error:
            raise pytest.UsageError(f"--mcpbench-baseline={self._settings.baseline}: {error}") from None


def _accepted_tools(file: Path, suite: SuiteManifest, now: Mapping[str, ServerDefinition]) -> Iterator[tuple[str, str]]:
    """Yield server and name of each tool whose present definition is the one in a lock beside the file."""
    locks = [read_lock_file(path) for path in sorted(file.parent.glob(f"*{LOCK_ENDING}"))]
    paths = LocalPaths(file.parent)
    for server, definition in now.items():
        names = ids_in_locks(file, suite.servers[server])
        seen = visible_definition(server, [tool.spec(server) for tool in paths.without(definition).tools])
        for lock in (lock for lock in locks if lock.server in names):
            locked = visible_definition(server, [tool.spec(server) for tool in paths.without(lock.definition).tools])
            yield from ((server, tool.name) for tool in seen.tools if locked.tool(tool.name) == tool)


def _require_own_fixtures(items: Iterable[pytest.Item]) -> None:
    """Raise a usage error for an item with a fixture of the user: fresh trials are made without pytest's fixtures."""
    for item in items:
        fixture = item_fixtures(item).per_item
        if fixture is not None:
            raise pytest.UsageError(
                f"{item.nodeid}: the fixture {fixture!r} is set up for each attempt, and a comparison repeats attempts "
                "without fixtures; provide agents with the hook pytest_mcpbench_make_agent"
            )
