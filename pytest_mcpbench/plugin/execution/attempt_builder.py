"""Construction of attempts from jobs."""

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.attempt.attempt import Attempt
    from pytest_mcpbench.core.errors import TaskError
    from pytest_mcpbench.core.planning import AttemptDescription
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.agents import AgentRegistry
    from pytest_mcpbench.plugin.execution.cassettes import CassetteInUse
    from pytest_mcpbench.plugin.execution.judges import JudgeRegistry
    from pytest_mcpbench.plugin.execution.scoring import Scorer
    from pytest_mcpbench.plugin.execution.scratch import Scratch
    from pytest_mcpbench.plugin.execution.users import UserRegistry
    from pytest_mcpbench.servers.secret_filter import SecretFilter


class AttemptBuilder:
    """Builder that collects everything that an attempt needs: agent, servers, sandbox, judge and its questions."""

    def __init__(  # noqa: PLR0913 (the parts of an attempt)
        self,
        agents: "AgentRegistry",
        judges: "JudgeRegistry",
        users: "UserRegistry",
        scorer: "Scorer",
        secrets: "Callable[[], SecretFilter]",
        cassette: "CassetteInUse | None",
        scratch: "Scratch",
    ) -> None:
        self._agents = agents
        self._judges = judges
        self._users = users
        self._scorer = scorer
        self._secrets = secrets
        self._cassette = cassette
        self._scratch = scratch

    def open_sandbox(self, job: "Job", task: "Task", exits: ExitStack) -> "Sandbox":
        """Return the worlds and the scratch directory of one attempt; ``exits`` closes them."""
        from pytest_mcpbench.attempt.sandbox import open_sandbox

        return exits.enter_context(open_sandbox(task, job.suite.directory, self._scratch.directory))

    def empty_sandbox(self) -> "AbstractContextManager[Sandbox]":
        """Return a sandbox of no attempt, for fixtures of tests without a task."""
        from pytest_mcpbench.attempt.sandbox import open_empty_sandbox

        return open_empty_sandbox(self._scratch.directory)

    def default_attempt(self, job: "Job", description: "AttemptDescription", sandbox: "Sandbox") -> "Attempt":
        """Return the attempt of an item that overrides no fixture."""
        agent = self._agents.agent(job.address, job.settings)
        return self.attempt(job, description, job.task, job.suite.servers, sandbox, agent)

    def attempt(  # noqa: PLR0913 (what the fixtures of an item provide)
        self,
        job: "Job",
        description: "AttemptDescription",
        task: "Task",
        servers: "Mapping[str, ServerRef]",
        sandbox: "Sandbox",
        agent: "Agent",
    ) -> "Attempt":
        """Return the attempt of an item, with the task, the servers and the agent that its fixtures provide.

        Raises:
            TaskError: the id of the task contains a secret, without which its evidence could not be stored.
        """
        from pytest_mcpbench.attempt.attempt import Attempt
        from pytest_mcpbench.core.planning import AttemptPlan

        if self._secrets().remove(task.id) != task.id:
            raise _secret_in_id(job)
        suite = job.suite
        if servers is not suite.servers:
            self._secrets().add_servers(servers.values())
            suite = suite.model_copy(update={"servers": dict(servers)})
        plan = AttemptPlan(task, suite, description)
        is_judged = not plan.is_routed and bool(self._scorer.judged_metrics(job))
        return Attempt(
            plan=plan,
            agent=agent,
            sandbox=sandbox,
            questions=functools.partial(self._scorer.questions, job),
            judge=self._judges.judge(job) if is_judged else None,
            user=self._users.user(job, task) if plan.has_user else None,
            tape=self._cassette.tape(job) if self._cassette is not None else None,
        )


def _secret_in_id(job: "Job") -> "TaskError":
    from pytest_mcpbench.core.errors import TaskError

    problem = "it contains the value of a secret, which is removed from records."
    return TaskError(problem, job.loaded.place, "id", "Choose another id.")


# Descriptions of attempts: everything about them that their records need, known before they start.


def describe_item(item: pytest.Item, job: "Job", started_at: str) -> "AttemptDescription":
    """Return the description of the attempt of an item."""
    from pytest_mcpbench.plugin.execution.item_fixtures import item_fixtures

    is_own = job.test is None and item_fixtures(item).overriding is None
    facts = {"node_id": item.nodeid, "started_at": started_at, "is_decided_by_scores": is_own}
    return job.description.model_copy(update={**facts, **source_of(item)})


def source_of(item: pytest.Item) -> dict[str, Any]:
    """Return file and line of the task or test, as records have them."""
    job = getattr(item, "job", None)
    line = item.location[1]
    file, number = (item.path, line + 1 if line is not None else 0)
    if job is not None:
        file, number = Path(job.loaded.place.file), job.loaded.place.line or 0
    return {"source": _below(item.config.rootpath, file), "line": number}


@functools.cache
def _below(root: Path, file: Path) -> str:
    """Return the path of a file relative to a directory, empty if it is outside of it."""
    absolute = root / file
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else ""
