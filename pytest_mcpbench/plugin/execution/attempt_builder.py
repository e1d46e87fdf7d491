"""Construction of attempts from jobs."""

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mcpbench.core.errors import TaskError
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
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.attempt import Attempt
    from pytest_mcpbench.runtime.secret_filter import SecretFilter


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
        from pytest_mcpbench.runtime.sandbox import open_sandbox

        return exits.enter_context(open_sandbox(task, job.suite.directory, self._scratch.directory))

    def empty_sandbox(self) -> "AbstractContextManager[Sandbox]":
        """Return a sandbox of no attempt, for fixtures of tests without a task."""
        from pytest_mcpbench.runtime.sandbox import open_empty_sandbox

        return open_empty_sandbox(self._scratch.directory)

    def default_attempt(self, job: "Job", task: "Task", sandbox: "Sandbox") -> "Attempt":
        """Return the attempt of an item that overrides no fixture."""
        return self.attempt(job, task, job.suite.servers, sandbox, self._agents.agent(job.address, job.settings))

    def attempt(
        self, job: "Job", task: "Task", servers: "Mapping[str, ServerRef]", sandbox: "Sandbox", agent: "Agent"
    ) -> "Attempt":
        """Return the attempt of an item, with the servers and the agent that its fixtures provide.

        Raises:
            TaskError: the id of the task contains a secret, without which its evidence could not be stored.
        """
        from pytest_mcpbench.runtime.attempt import Attempt

        if self._secrets().remove(task.id) != task.id:
            raise _secret_in_id(job)
        has_suite_servers = servers is job.suite.servers
        if not has_suite_servers:
            self._secrets().add_servers(servers.values())
        return Attempt(
            task=task,
            suite=job.suite if has_suite_servers else job.suite.model_copy(update={"servers": dict(servers)}),
            model=job.model,
            trial=job.trial,
            agent=agent,
            sandbox=sandbox,
            questions=functools.partial(self._scorer.questions, job),
            judge=self._judges.judge(job) if self._scorer.judged_metrics(job) else None,
            user=self._users.user(job, task),
            tape=self._cassette.tape(job) if self._cassette is not None else None,
        )


def _secret_in_id(job: "Job") -> "TaskError":
    from pytest_mcpbench.core.errors import TaskError

    problem = "it contains the value of a secret, which is removed from records."
    return TaskError(problem, job.loaded.place, "id", "Choose another id.")
