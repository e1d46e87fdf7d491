"""Fixtures for tests: of an attempt, of a server and its tools, and snapshots."""

import functools
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.plugin import activation
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE, ItemState
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.attempt.server_pool import ServerPool
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.protocol_findings import ProtocolFinding
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.sanitizers import Sanitizer
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.core.tool import ToolResult
    from pytest_mcpbench.definitions.lint.settings import LintResult
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.attempt_executor import LocalAttempts
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.servers.secret_filter import SecretFilter
    from pytest_mcpbench.servers.server_connection import ServerConnection

# Warnings that attempts have noted: seeds that a server reads only in part, servers whose state attempts share.


def warn_about_unread_fields(item: pytest.Item, evidence: "AttemptEvidence") -> None:
    """Issue a warning for each server; those of many tasks have the same text, so that pytest joins them."""
    for server, fields in evidence.notes.unread_fields.items():
        _warn(item, f"server {server!r} does not read these fields of its seed: {', '.join(fields)}")


def warn_about_servers(item: pytest.Item, evidence: "AttemptEvidence") -> None:
    """Issue the warnings about servers that the attempt has noted."""
    for text in evidence.notes.warnings:
        _warn(item, text)


def _warn(item: pytest.Item, text: str) -> None:
    from pytest_mcpbench.plugin.collection import suite_paths
    from pytest_mcpbench.plugin.collection.suite_loading import TaskWarning

    warnings.warn_explicit(TaskWarning(text), None, suite_paths.node_id(item.path, item.config), 0)


# Fixtures that run, show and score an attempt; each can be overridden in a ``conftest.py``.


@pytest.fixture
def mcp_job(request: pytest.FixtureRequest) -> "Job | None":
    """Task, model and trial of this item, with its suite; ``None`` in a test that only an autouse fixture makes use it.

    An autouse fixture that prepares the sandbox is thus no error in tests that have nothing to do with tasks.
    """
    from pytest_mcpbench.plugin.collection import jobs

    if not hasattr(request, "param") and not hasattr(request.node, "job"):
        return None
    job: Job = jobs.job_of_test(request.node, request.param) if hasattr(request, "param") else request.node.job
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    request.node.stash[ITEM_STATE] = ItemState(job, started_at=started_at)
    return job


@pytest.fixture
def mcp_task(mcp_job: "Job | None") -> "Task | None":
    """The task, with the limits and the system prompt of this run; ``None`` in a test without a task."""
    if mcp_job is None:
        return None
    if mcp_job.loaded.error is not None:
        raise AttemptError(mcp_job.loaded.error)
    return mcp_job.task


@pytest.fixture
def mcp_servers(mcp_job: "Job") -> "Mapping[str, ServerRef]":
    """The suite's servers by name; override it to replace or add servers."""
    return mcp_job.suite.servers


@pytest.fixture
def mcp_sandbox(
    request: pytest.FixtureRequest, mcp_job: "Job | None", mcp_task: "Task | None", mcp_session: "Session"
) -> "Iterator[Sandbox]":
    """State that the attempt may change: ``path``, and after the attempt ``before``, ``after`` and ``diff()``.

    In a test without a task it is an empty directory.
    """
    with ExitStack() as exits:
        if mcp_job is None or mcp_task is None:
            yield exits.enter_context(mcp_session.runner.empty_sandbox())
            return
        yield mcp_session.runner.sandbox(request.node, mcp_job, mcp_task, exits)


@pytest.fixture
def mcp_agent(mcp_job: "Job", mcp_session: "Session") -> "Agent":
    """The agent of ``--model``; return an object with ``attempt(task, arena)`` to test your own."""
    return mcp_session.agents.agent(mcp_job.address, mcp_job.settings)


@pytest.fixture
def mcp_run(
    request: pytest.FixtureRequest,
    mcp_task: "Task",
    mcp_servers: "Mapping[str, ServerRef]",
    mcp_sandbox: "Sandbox",
    mcp_agent: "Agent",
    mcp_session: "Session",
) -> "AttemptEvidence":
    """All evidence of the attempt, which is over before the body of the test runs."""
    evidence = mcp_session.runner.evidence(request.node, mcp_task, mcp_servers, mcp_sandbox, mcp_agent)
    warn_about_unread_fields(request.node, evidence)
    warn_about_servers(request.node, evidence)
    return evidence


@pytest.fixture
def mcp_scorecard(
    request: pytest.FixtureRequest, mcp_job: "Job", mcp_task: "Task", mcp_run: "AttemptEvidence", mcp_session: "Session"
) -> "Scorecard":
    """The scores of all metrics of the suite: ``assert mcp_scorecard["ast"] >= 0.9``."""
    scorecard = mcp_session.scorer.scorecard(mcp_job, mcp_task, mcp_run)
    request.node.stash[ITEM_STATE].scorecard = scorecard
    return scorecard.computing(lambda name: mcp_session.scorer.score(mcp_job, mcp_task, mcp_run, name))


@pytest.fixture
def mcp_session(request: pytest.FixtureRequest) -> "Session":
    """The services that the other fixtures use; not for tests."""
    activation.load(request.config)
    # Most runs have no task, and need no session.
    from pytest_mcpbench.plugin.execution.session import SESSION

    return request.config.stash[SESSION]


# Direct calls of a server's tools in users' own tests, without a task and an agent.


class ToolCaller:
    """Function that calls a tool of one server; the server starts with the first call and lives until the test ends."""

    def __init__(self, server: "ServerRef", local: "LocalAttempts", directory: Path) -> None:
        self.server = server
        self.directory = directory
        """Directory in which the server works; files that a test writes before the first call are there."""
        self._local = local
        self._exits = AsyncExitStack()
        self._connection: ServerConnection | None = None

    def __call__(self, tool: str, /, **arguments: Any) -> "ToolResult":
        """Return the result of a call; an error of the tool is a result with ``is_error``.

        Raises:
            AttemptError: the server does not start, or is gone.
        """
        try:
            return self._local.executor.call(functools.partial(self._call, tool, arguments))
        except McpBenchError as error:
            raise AttemptError(error) from None

    def close(self) -> None:
        """End the server."""
        if self._connection is not None:
            self._local.executor.call(self._close)

    async def _call(self, tool: str, arguments: dict[str, Any], pool: "ServerPool") -> "ToolResult":
        if self._connection is None:
            self._connection = await self._exits.enter_async_context(pool.session(self.server, self.directory))
        return await self._connection.call(tool, arguments)

    async def _close(self, _pool: "ServerPool") -> None:
        await self._exits.aclose()


@pytest.fixture
def mcp_call(mcp_server: "ServerRef", mcp_session: Any, tmp_path: Path) -> "Iterator[ToolCaller]":
    """Function for direct calls: ``mcp_call("add", a=2, b=3).text``; the server works in ``mcp_call.directory``."""
    directory = tmp_path / "server"
    directory.mkdir()
    caller = ToolCaller(mcp_server, mcp_session.local, directory)
    yield caller
    caller.close()


@pytest.fixture
def mcp_sanitizers() -> "list[Sanitizer]":
    """Sanitizers of response snapshots, none by default; override it in a test file or a ``conftest.py``."""
    return []


@pytest.fixture
def mcp_protocol_faults(mcp_server: "ServerRef", mcp_session: Any) -> "tuple[ProtocolFinding, ...]":
    """Rules of the protocol that the server breaks: ``assert not mcp_protocol_faults``."""
    from pytest_mcpbench.core.protocol_findings import faults

    try:
        return faults(mcp_session.local.check_protocol(mcp_server))
    except McpBenchError as error:
        raise AttemptError(error) from None


# Snapshots of tool schemas: one readable JSON file per server.


def snapshot_extension() -> type[Any]:
    """Return the syrupy extension; a function, because importing its base class takes long."""
    from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

    class ToolSchemaSnapshotExtension(SingleFileSnapshotExtension):
        """JSON with the tools in the server's order, sorted keys and unescaped text."""

        file_extension = "tools.json"
        _write_mode = WriteMode.TEXT

        def serialize(self, data: Any, **_options: Any) -> str:
            return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

        def diff_lines(self, serialized_data: Any, snapshot_data: Any) -> Iterator[str]:
            """Yield what changed, how to accept it, and the lines that differ."""
            yield from _explanation(str(snapshot_data), str(serialized_data))
            yield from super().diff_lines(serialized_data, snapshot_data)

    return ToolSchemaSnapshotExtension


def _explanation(before: str, after: str) -> Iterator[str]:
    from pytest_mcpbench.reporting.texts.tool_changes import changes
    from pytest_mcpbench.text.json_reading import read_json

    if not before:
        yield "There is no snapshot yet. Write it with: pytest --snapshot-update"
        return
    try:
        snapshot = read_json(before)
    except ValueError as error:
        yield f"the snapshot is not valid JSON: {error}. Write it anew with: pytest --snapshot-update"
        return
    yield from changes(snapshot, json.loads(after))
    yield "If that is right, accept it with: pytest --snapshot-update"
    yield ""


def response_extension(sanitizers: "list[Sanitizer]", directory: str, secrets: "SecretFilter") -> type[Any]:
    """Return the syrupy extension for responses of tools, in which ``directory`` and all matches are replaced."""
    from pytest_mcpbench.core.sanitizers import sanitize

    class ToolResponseSnapshotExtension(snapshot_extension()):  # type: ignore[misc]  # the base is made at run time
        """JSON with the content of a response, sorted keys and unescaped text."""

        file_extension = "response.json"

        def serialize(self, data: Any, **_options: Any) -> str:
            response = data.model_dump(mode="json", exclude_defaults=True) if hasattr(data, "model_dump") else data
            response = sanitize(response, [(re.escape(directory), "{sandbox}"), *sanitizers])
            return super().serialize(secrets.remove_from(response))  # type: ignore[no-any-return]  # as above

    return ToolResponseSnapshotExtension


@pytest.fixture
def mcp_server(request: pytest.FixtureRequest) -> "ServerRef":
    """A server; parametrized with those of the test's marker or directory."""
    server: ServerRef = request.param
    return server


@pytest.fixture
def mcp_tools(mcp_server: "ServerRef", mcp_session: Any, request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """The server's tools in the canonical form that lock files have: all pages, in the server's order."""
    try:
        definition = mcp_session.local.definition(mcp_server)
    except McpBenchError as error:
        raise AttemptError(error) from None
    shown = known_secrets(request.config).remove_from_definition(definition)
    return [dict(tool.canonical) for tool in shown.tools]


@pytest.fixture
def mcp_lint(mcp_server: "ServerRef", mcp_session: Any, request: pytest.FixtureRequest) -> "LintResult":
    """The findings about the server that the project does not ignore: ``assert not mcp_lint.errors``."""
    from pytest_mcpbench.definitions.lint.settings import apply_settings
    from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
    from pytest_mcpbench.suite_files.linting import lint_servers, lint_settings

    try:
        settings = lint_settings(request.config.rootpath)
        server = ConfiguredServer(mcp_server.name, mcp_server, ())
        findings = lint_servers([(server, mcp_session.local.definition(mcp_server))], settings)
    except McpBenchError as error:
        raise AttemptError(error) from None
    return apply_settings(findings, settings)


@pytest.fixture
def tool_schema_snapshot(snapshot: "SnapshotAssertion") -> "SnapshotAssertion":
    """``assert mcp_tools == tool_schema_snapshot`` shows what changed; ``--snapshot-update`` accepts it."""
    return snapshot.use_extension(snapshot_extension())


@pytest.fixture
def tool_response_snapshot(
    snapshot: "SnapshotAssertion", mcp_call: Any, mcp_sanitizers: "list[Sanitizer]", request: pytest.FixtureRequest
) -> "SnapshotAssertion":
    """``assert mcp_call("add", a=2, b=3) == tool_response_snapshot`` compares a response without what varies."""
    secrets = known_secrets(request.config)
    return snapshot.use_extension(response_extension(mcp_sanitizers, str(mcp_call.directory), secrets))
