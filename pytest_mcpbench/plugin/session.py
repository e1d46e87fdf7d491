"""The run's own state: the executor, the agents, the judge and what an earlier run has already made."""

import contextlib
import functools
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.options import Settings
from pytest_mcpbench.plugin.state import RunState

if TYPE_CHECKING:
    from pytest_mcpbench.core.run import Run
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.score import Metric, Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.jobs import Job
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.arena import ServerPool
    from pytest_mcpbench.runtime.attempt import Made
    from pytest_mcpbench.runtime.judge import Judge
    from pytest_mcpbench.runtime.rollouts import Rollouts


class Session:
    """One for each process; everything is made when it is first needed."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self.settings = settings
        self._agents: dict[str, Agent] = {}
        self._judges: dict[str, Judge | None] = {}

    @functools.cached_property
    def rollouts(self) -> "Rollouts":
        from pytest_mcpbench.runtime.rollouts import Rollouts

        return Rollouts(concurrency=self.settings.concurrency)

    def agent(self, model: str) -> "Agent":
        """The agent of a model; one for the whole process."""
        if model not in self._agents:
            make = self._config.hook.pytest_mcpbench_make_agent
            self._agents[model] = make(config=self._config, settings=self.settings, model=model)
        return self._agents[model]

    def judge(self, job: "Job") -> "Judge | None":
        """The judge that the command line or else the suite names."""
        from pytest_mcpbench.plugin import agents

        name = self.settings.judge or job.suite.judge or agents.DEFAULT_JUDGE
        if name not in self._judges:
            self._judges[name] = agents.make_judge(name, self.settings)
        return self._judges[name]

    def list_tools(self, server: "ServerRef") -> list[dict[str, Any]]:
        """What the server's ``tools/list`` says, all pages."""
        return self.rollouts.call(functools.partial(_listed, server))

    @contextlib.contextmanager
    def sandbox(self, job: "Job", task: "Task") -> "Iterator[Sandbox]":
        """The worlds and the scratch directory of one attempt."""
        from pathlib import Path

        from pytest_mcpbench.runtime.sandbox import open_sandbox

        with open_sandbox(task, Path(job.suite.directory)) as sandbox:
            yield sandbox

    def run(
        self,
        state: RunState,
        task: "Task",
        servers: "Mapping[str, ServerRef]",
        sandbox: "Sandbox",
        agent: "Agent",
    ) -> "Run":
        """The attempt's evidence, made now or taken from the run that is resumed; its error is raised."""
        from pytest_mcpbench.runtime.attempt import Attempt

        suite = state.job.suite.model_copy(update={"servers": dict(servers)})
        earlier = self._resumed(state.job)
        if earlier is not None:
            state.run, state.resumed = earlier, True
            return earlier
        attempt = Attempt(
            task=task,
            suite=suite,
            model=state.job.model,
            trial=state.job.trial,
            agent=agent,
            sandbox=sandbox,
            questions=functools.partial(self._questions, state.job),
            judge=self.judge(state.job),
        )
        return _kept(state, self.rollouts.submit(attempt))

    def metrics(self, job: "Job") -> "dict[str, Metric]":
        """The metrics that the job's run is scored with."""
        from pytest_mcpbench.plugin.catalogue import catalogue_of

        catalogue = catalogue_of(self._config)
        return {name: catalogue.metric(name, job.suite.metric_settings.get(name, {})) for name in job.metric_names}

    def scorecard(self, job: "Job", task: "Task", run: "Run") -> "Scorecard":
        from pytest_mcpbench.core.score import scorecard

        return scorecard(task, run, self.metrics(job), job.floors)

    def _questions(self, job: "Job", task: "Task", run: "Run") -> Iterator[Any]:
        from pytest_mcpbench.core.score import JudgedMetric

        for metric in self.metrics(job).values():
            if isinstance(metric, JudgedMetric):
                yield from metric.questions(task, run)

    def _resumed(self, job: "Job") -> "Run | None":
        if self.settings.resume is None:
            return None
        from pytest_mcpbench.plugin import resume

        return resume.run_of(self._config, job)

    def pytest_unconfigure(self) -> None:
        """Stop every attempt and server."""
        if "rollouts" in self.__dict__:
            self.rollouts.close()


async def _listed(server: "ServerRef", pool: "ServerPool") -> list[dict[str, Any]]:
    return await pool.list_tools(server)


def _kept(state: RunState, future: "Future[Made]") -> "Run":
    """Wait for the attempt; what came of it is kept for the record even where it is an error."""
    made = future.result()
    state.run = made.run
    if made.error is not None:
        raise made.error
    assert made.run is not None
    return made.run
