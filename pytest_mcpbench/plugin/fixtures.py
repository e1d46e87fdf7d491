"""Fixtures for tests: of an attempt, of a server and its tools, and snapshots.

Every pytest run loads this module, which only declares them: what they return comes from the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin import activation

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.protocol_findings import ProtocolFinding
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.sanitizers import Sanitizer
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.definitions.lint.settings import LintResult
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import ItemSession, Session, ToolCaller


@pytest.fixture
def mcp_session(request: pytest.FixtureRequest) -> Session:
    """The services that the fixtures of a server use; not for tests."""
    return activation.services(request.config)


@pytest.fixture
def mcp_item(request: pytest.FixtureRequest) -> ItemSession:
    """The services that the fixtures of an attempt use; not for tests.

    They do not use ``request`` themselves, for which pytest makes two objects a fixture.
    """
    return activation.services(request.config).of(request.node)


# Fixtures that run, show and score an attempt; each can be overridden in a ``conftest.py``.


@pytest.fixture
def mcp_job(request: pytest.FixtureRequest) -> Job | None:
    """Task, model and trial of this item, with its suite; ``None`` in a test without a task.

    An autouse fixture that prepares the sandbox is thus no error in tests that have nothing to do with tasks.
    """
    has_job = hasattr(request, "param") or hasattr(request.node, "job")
    return activation.services(request.config).of(request.node).begin() if has_job else None


@pytest.fixture
def mcp_task(mcp_job: Job | None) -> Task | None:
    """The task, with the limits and the system prompt of this run; ``None`` in a test without a task."""
    return mcp_job.required_task if mcp_job is not None else None


@pytest.fixture
def mcp_servers(mcp_job: Job) -> Mapping[str, ServerRef]:
    """The suite's servers by name; override it to replace or add servers."""
    return mcp_job.suite.servers


@pytest.fixture
def mcp_sandbox(mcp_job: Job | None, mcp_task: Task | None, mcp_item: ItemSession) -> Iterator[Sandbox]:
    """State that the attempt may change: ``path``, and after the attempt ``before``, ``after`` and ``diff()``.

    In a test without a task it is an empty directory.
    """
    yield from mcp_item.sandbox(mcp_job, mcp_task)


@pytest.fixture
def mcp_agent(mcp_job: Job, mcp_item: ItemSession) -> Agent:
    """The agent of ``--model``; return an object with ``attempt(task, arena)`` to test your own."""
    return mcp_item.agent(mcp_job)


@pytest.fixture
def mcp_run(
    mcp_task: Task,
    mcp_servers: Mapping[str, ServerRef],
    mcp_sandbox: Sandbox,
    mcp_agent: Agent,
    mcp_item: ItemSession,
) -> AttemptEvidence:
    """All evidence of the attempt, which is over before the body of the test runs."""
    return mcp_item.evidence(mcp_task, mcp_servers, mcp_sandbox, mcp_agent)


@pytest.fixture
def mcp_scorecard(mcp_task: Task, mcp_run: AttemptEvidence, mcp_item: ItemSession) -> Scorecard:
    """The scores of all metrics that are planned for the task: ``assert mcp_scorecard["ast"] >= 0.9``."""
    return mcp_item.scorecard(mcp_task, mcp_run)


# Fixtures of a server, for tests without a task and an agent.


@pytest.fixture
def mcp_server(request: pytest.FixtureRequest) -> ServerRef:
    """A server; parametrized with those of the test's marker or directory."""
    server: ServerRef = request.param
    return server


@pytest.fixture
def mcp_call(mcp_server: ServerRef, mcp_session: Session, tmp_path: Path) -> Iterator[ToolCaller]:
    """Function for direct calls: ``mcp_call("add", a=2, b=3).text``; the server works in ``mcp_call.directory``."""
    from pytest_mcpbench.plugin.execution.session import tool_caller

    yield from tool_caller(mcp_server, mcp_session.local, tmp_path / "server")


@pytest.fixture
def mcp_protocol_faults(mcp_server: ServerRef, mcp_session: Session) -> tuple[ProtocolFinding, ...]:
    """Rules of the protocol that the server breaks: ``assert not mcp_protocol_faults``."""
    return mcp_session.protocol_faults(mcp_server)


@pytest.fixture
def mcp_tools(mcp_server: ServerRef, mcp_session: Session) -> list[dict[str, Any]]:
    """The server's tools in the canonical form that lock files have: all pages, in the server's order."""
    return mcp_session.tools(mcp_server)


@pytest.fixture
def mcp_lint(mcp_server: ServerRef, mcp_session: Session) -> LintResult:
    """The findings about the server that the project does not ignore: ``assert not mcp_lint.errors``."""
    return mcp_session.lint(mcp_server)


@pytest.fixture
def mcp_sanitizers() -> list[Sanitizer]:
    """Sanitizers of response snapshots, none by default; override it in a test file or a ``conftest.py``."""
    return []


# Snapshots. Their module is imported where it is used, because it needs syrupy.


@pytest.fixture
def tool_schema_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """``assert mcp_tools == tool_schema_snapshot`` shows what changed; ``--snapshot-update`` accepts it."""
    from pytest_mcpbench.plugin import snapshots

    return snapshot.use_extension(snapshots.ToolSchemaSnapshotExtension)


@pytest.fixture
def tool_response_snapshot(
    snapshot: SnapshotAssertion,
    mcp_call: ToolCaller,
    mcp_sanitizers: list[Sanitizer],
    request: pytest.FixtureRequest,
) -> SnapshotAssertion:
    """``assert mcp_call("add", a=2, b=3) == tool_response_snapshot`` compares a response without what varies."""
    from pytest_mcpbench.plugin import snapshots

    return snapshot.use_extension(snapshots.response_extension(mcp_sanitizers, mcp_call.directory, request.config))
