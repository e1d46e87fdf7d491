"""Lock files as pytest files: an item that compares the server with its lock, and one that lints it."""

import functools
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.agents.dispatchers import Dispatchers
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.findability import (
    MOST_FOREIGN,
    MeasuredServer,
    foreign_tools,
    measure_server,
    recall_changes,
)
from pytest_mcpbench.core.arm import BASELINE, CANDIDATE
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition, canonical_json
from pytest_mcpbench.definitions.lint.formats import summary, terminal_lines
from pytest_mcpbench.definitions.lint.settings import apply_settings
from pytest_mcpbench.definitions.lock import Lock
from pytest_mcpbench.definitions.lock_check import check_lock, report_lines
from pytest_mcpbench.loaders.manifest import enclosing_directories
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.execution.session_door import DOOR
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer, servers_in
from pytest_mcpbench.suite_files.linting import lint_servers, lint_settings
from pytest_mcpbench.suite_files.locks import LocalPaths, read_lock_file


class LockWarning(pytest.PytestWarning):
    """Compatible changes that are not in the lock yet."""


class LockFile(pytest.File):
    """A lock of one server; its children look at the server as it is now."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add_marker(pytest.mark.mcpbench)

    def collect(self) -> Iterable[pytest.Item]:
        try:
            name = self.lock.server
        except McpBenchError as error:
            raise self.CollectError(str(error)) from None
        yield LockItem.from_parent(self, name=f"lock[{name}]")
        yield LintItem.from_parent(self, name=f"lint[{name}]")
        if self.config.stash[SETTINGS].findability is not None:
            yield FindabilityItem.from_parent(self, name=f"findability[{name}]")

    @functools.cached_property
    def shown(self) -> str:
        """Name of the file in messages."""
        return suite_paths.node_id(self.path, self.config)

    @functools.cached_property
    def lock(self) -> Lock:
        return read_lock_file(self.path, self.shown)

    @functools.cached_property
    def server(self) -> ConfiguredServer:
        """The server that files next to the lock, or in the directories above it, define; raises UsageError."""
        names = catalogue_of(self.config).names
        directories = enclosing_directories(self.path.parent, self.config.rootpath)
        known = [server for directory in directories for server in servers_in(directory, names)]
        for server in known:
            if self.lock.server == server.name:
                return server
        there_are = ", ".join(dict.fromkeys(server.name for server in known)) or "none"
        searched = " or ".join(suite_paths.node_id(directory, self.config) for directory in directories)
        raise UsageError(
            f"{self.shown}: the file is a lock of the server {self.lock.server!r}, and no task file, suite.toml or "
            f"mcp.json in {searched} defines it; there are: {there_are}. Delete the file, or write the lock of another "
            "server with `mcpbench lock`."
        )

    @functools.cached_property
    def _listed(self) -> ServerDefinition | McpBenchError:
        """The server as it is now, or the error: a server that does not start is not started again."""
        try:
            definition = self.config.stash[DOOR].session.local.definition(self.server.ref)
            return known_secrets(self.config).remove_from_definition(definition)
        except McpBenchError as error:
            return error

    @property
    def definition(self) -> ServerDefinition:
        if isinstance(self._listed, McpBenchError):
            raise AttemptError(self._listed)
        return self._listed

    @property
    def compared(self) -> tuple[ServerDefinition, ServerDefinition]:
        """The server as it was locked and as it is now, with placeholders for the paths of this machine."""
        paths = LocalPaths(self.path.parent)
        return paths.without(self.lock.definition), paths.without(self.definition)


class _ServerItem(pytest.Item):
    """Item about the server of a lock."""

    parent: LockFile

    def setup(self) -> None:
        """List the server's tools: a server that does not start is an error, and no failure."""
        _ = self.parent.definition

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message of a change, a finding or a server's error without a traceback."""
        ours = (McpBenchError, AttemptError, pytest.fail.Exception)
        return str(excinfo.value) if isinstance(excinfo.value, ours) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, self.name


class LockItem(_ServerItem):
    """Comparison of a server with its lock."""

    def runtest(self) -> None:
        check = check_lock(self.parent.lock, *self.parent.compared, self.parent.shown)
        self.user_properties.append(("mcpbench.lock", f"{len(check.changes)} changes"))
        is_measured = _is_measured(self.parent, self.session.items)
        lines = [*report_lines(check, is_measured=is_measured)]
        if not check.is_current:
            lines += map("  {}".format, self._recall_changes())
        text = "\n".join(lines)
        if check.must_be_accepted(is_measured=is_measured):
            pytest.fail(text, pytrace=False)
        if not check.is_current:
            warnings.warn_explicit(LockWarning(text), None, self.parent.shown, 0)

    def _recall_changes(self) -> list[str]:
        file, names = self.parent, catalogue_of(self.config).names
        local = self.config.stash[DOOR].session.local
        return local.executor.call(lambda _pool: recall_changes(file.server, *file.compared, names))


class LintItem(_ServerItem):
    """Lint of a server, and of the tasks that need no other server."""

    def runtest(self) -> None:
        settings = lint_settings(self.config.rootpath)
        listed = [(self.parent.server, self.parent.definition)]
        result = apply_settings(lint_servers(listed, settings, catalogue_of(self.config).names), settings)
        self.user_properties.append(("mcpbench.lint", summary(result)))
        failing = {finding.rule.tier for finding in result.findings if settings.fails(finding)}
        if failing:
            pytest.fail("\n".join(terminal_lines(result, failing)), pytrace=False)


class FindabilityItem(_ServerItem):
    """Least recall of each tool of a server for the requests of its tasks."""

    _measured: MeasuredServer

    def setup(self) -> None:
        """Measure the server; without a task that needs one of its tools there is nothing to measure."""
        super().setup()
        self._measured = self.config.stash[DOOR].session.local.executor.call(self._measure)
        if self._measured.awaits_tasks:
            pytest.skip("nothing is measured yet: there are no tasks but proposals")
        if not self._measured.needed_tools:
            problem = f"no task expects a call of a tool of {self.parent.server.name}, so that nothing is measured"
            raise AttemptError(UsageError(f"--mcpbench-findability: {problem}."))

    async def _measure(self, pool: ServerPool) -> MeasuredServer:
        server, names = self.parent.server, catalogue_of(self.config).names
        others = await foreign_tools(server.ref, MOST_FOREIGN, 0, pool)
        return await measure_server(
            server,
            self.parent.definition,
            others,
            dispatchers=Dispatchers(),
            foreign=(MOST_FOREIGN,),
            names=names,
        )

    def runtest(self) -> None:
        least = self.config.stash[SETTINGS].findability
        assert least is not None, "the item is collected with the option only"
        problems = [*self._measured.shortfalls(MOST_FOREIGN, least)]
        if problems:
            remedy = "Use the words of the requests in the description; `mcpbench findability` shows all numbers."
            pytest.fail("\n".join((*problems, remedy)), pytrace=False)


def _is_measured(file: LockFile, items: Iterable[pytest.Item]) -> bool:
    """Return whether this run compares the server with the text of the lock, so that changed texts need no acceptance.

    A run that compares it with other definitions measures another change, and one of which only one arm is selected
    measures none.
    """
    comparisons = file.config.stash[DOOR].session.comparisons
    if file.config.stash[SETTINGS].baseline is None or comparisons is None:
        return False
    jobs = [(item.path, item.job) for item in items if item.path in file.server.files and hasattr(item, "job")]
    baselines = [comparisons.of_file(path).definitions[BASELINE] for path in {path for path, job in jobs if job.arm}]
    paths = LocalPaths(file.path.parent)
    locked = _seen(paths.without(file.lock.definition))
    return {BASELINE, CANDIDATE} <= {job.arm for _, job in jobs} and all(
        any(_seen(paths.without(shown)) == locked for shown in each.values()) for each in baselines
    )


def _seen(server: ServerDefinition) -> tuple[str, list[tuple[str, str, str]]]:
    """Return what agents see of a server: its instructions, and its tools in their order."""
    tools = [(tool.name, tool.description, canonical_json(tool.input_schema)) for tool in server.tools]
    return server.instructions, tools


def unknown_server(items: Iterable[pytest.Item]) -> str | None:
    """Return the message about the first lock whose server is not defined anywhere; ``None`` if there is none."""
    for file in dict.fromkeys(item.parent for item in items if isinstance(item, _ServerItem)):
        try:
            _ = file.server
        except UsageError as error:
            return str(error)
    return None
