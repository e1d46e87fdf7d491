"""The fixtures that make, show and score an attempt; each can be overridden in a ``conftest.py``."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import RUN_STATE, RunState

if TYPE_CHECKING:
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.runtime.agent import Agent


@pytest.fixture
def mcp_job(request: pytest.FixtureRequest) -> "Job":
    """Task, model and trial of this item, with its suite."""
    from pytest_mcpbench.plugin.collection import jobs

    job: Job = jobs.of_test(request.node, request.param) if hasattr(request, "param") else request.node.job
    request.node.stash[RUN_STATE] = RunState(job, started_at=datetime.now(UTC).isoformat(timespec="milliseconds"))
    return job


@pytest.fixture
def mcp_task(mcp_job: "Job") -> "Task":
    """The task, with the limits and the system prompt that hold for this run."""
    if mcp_job.loaded.error is not None:
        raise AttemptError(mcp_job.loaded.error)
    return mcp_job.task


@pytest.fixture
def mcp_servers(mcp_job: "Job") -> "Mapping[str, ServerRef]":
    """The suite's servers by name; return others to replace or add some."""
    return mcp_job.suite.servers


@pytest.fixture
def mcp_sandbox(
    request: pytest.FixtureRequest, mcp_job: "Job", mcp_task: "Task", mcp_session: "Session"
) -> "Iterator[Sandbox]":
    """What the attempt may change: ``path``, and after the attempt ``before``, ``after`` and ``diff()``."""
    with ExitStack() as exits:
        yield mcp_session.lookahead.sandbox(request.node, exits) or mcp_session.open_sandbox(mcp_job, mcp_task, exits)


@pytest.fixture
def mcp_agent(mcp_job: "Job", mcp_session: "Session") -> "Agent":
    """The agent that ``--model`` means; return an object with ``attempt(task, arena)`` to test your own."""
    return mcp_session.agent(mcp_job.model)


@pytest.fixture
def mcp_run(
    request: pytest.FixtureRequest,
    mcp_task: "Task",
    mcp_servers: "Mapping[str, ServerRef]",
    mcp_sandbox: "Sandbox",
    mcp_agent: "Agent",
    mcp_session: "Session",
) -> "AttemptEvidence":
    """All evidence of the attempt; made here, before the test's body."""
    return mcp_session.run(request.node, mcp_task, mcp_servers, mcp_sandbox, mcp_agent)


@pytest.fixture
def mcp_scorecard(
    request: pytest.FixtureRequest, mcp_job: "Job", mcp_task: "Task", mcp_run: "AttemptEvidence", mcp_session: "Session"
) -> "Scorecard":
    """Every metric of the suite applied to the run; ``assert mcp_scorecard["ast"] >= 0.9``."""
    card = mcp_session.scorecard(mcp_job, mcp_task, mcp_run)
    request.node.stash[RUN_STATE].scorecard = card
    return card


@pytest.fixture
def mcp_session(request: pytest.FixtureRequest) -> "Session":
    """The run's own state: executor, agents, records."""
    session: Session = request.config.pluginmanager.get_plugin("mcpbench-session")  # type: ignore[assignment]  # ours
    return session
