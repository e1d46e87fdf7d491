"""Fixtures that run, show and score an attempt; each can be overridden in a ``conftest.py``."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE, ItemState
from pytest_mcpbench.plugin.execution.attempt_warnings import warn_about_servers, warn_about_unread_fields
from pytest_mcpbench.plugin.execution.session import SESSION

if TYPE_CHECKING:
    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session


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
    return request.config.stash[SESSION]
