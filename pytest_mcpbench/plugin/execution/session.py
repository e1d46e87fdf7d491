"""The run's own state: the executor, the agents, the judge and what an earlier run has already made."""

import functools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import RUN_STATE, RunState
from pytest_mcpbench.plugin.execution import provider_process
from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.judgement import Question
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.engine import Engine
    from pytest_mcpbench.plugin.execution.lookahead import LookAhead, PendingAttempt
    from pytest_mcpbench.plugin.execution.shared_engine import SharedEngine
    from pytest_mcpbench.plugin.xdist.stopping import Stopping
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult
    from pytest_mcpbench.runtime.judge import Judge
    from pytest_mcpbench.runtime.local_executor import LocalExecutor
    from pytest_mcpbench.runtime.models.factory import Models
    from pytest_mcpbench.runtime.server_pool import ServerPool


class Session:
    """One for each process; everything is made when it is first needed."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self.settings = settings
        self._agents: dict[str, Agent] = {}
        self.named_agents: dict[str, Agent] = {}
        """Those that no hook of a user made: by their name, any process makes the same."""
        self._judges: dict[str, Judge | None] = {}
        self._metrics: dict[tuple[int, tuple[str, ...]], dict[str, Metric]] = {}

    @functools.cached_property
    def models(self) -> "Models":
        """The models of this process or of the run: agents and judges that name the same one share its limiter."""
        shared = provider_process.address(self._config)
        if shared is not None:
            from pytest_mcpbench.runtime.provider.shared_models import SharedModels

            return SharedModels(self.settings.aliases, shared)
        from pytest_mcpbench.runtime.models.factory import Models

        return Models(self.settings.aliases)

    @functools.cached_property
    def rollouts(self) -> "LocalExecutor":
        from pytest_mcpbench.runtime.local_executor import LocalExecutor

        return LocalExecutor(concurrency=self.settings.concurrency, root=self._config.rootpath, models=self.models)

    @property
    def acting(self) -> int:
        """How many attempts are under way in this process."""
        return self.rollouts.active_count if "rollouts" in self.__dict__ else 0

    def spent_usd(self, finished: float | None) -> float | None:
        """What the models of this process have cost; where none was asked here, what the finished attempts have."""
        ledger = self.models.ledger if "models" in self.__dict__ else None
        return ledger.usage.cost_usd if ledger is not None and ledger.replies else finished

    @property
    def _engine(self) -> "Engine | SharedEngine | None":
        engine: Engine | SharedEngine | None = self._config.pluginmanager.get_plugin("mcpbench-engine")
        return engine

    @functools.cached_property
    def lookahead(self) -> "LookAhead":
        lookahead: LookAhead = self._config.pluginmanager.get_plugin("mcpbench-lookahead")  # type: ignore[assignment]
        return lookahead

    def agent(self, model: str) -> "Agent":
        """The agent of a model; one for the whole process."""
        if model not in self._agents:
            make = self._config.hook.pytest_mcpbench_make_agent
            self._agents[model] = make(config=self._config, settings=self.settings, model=model)
        return self._agents[model]

    def judge(self, job: "Job") -> "Judge | None":
        """The judge that the command line or else the suite names."""
        from pytest_mcpbench.runtime.judges.factory import make_judge

        name = self.judge_name(job)
        if name not in self._judges:
            cache = self._config.rootpath / ".mcpbench" / "verdicts"
            self._judges[name] = make_judge(name, self.models, cache=cache)
        return self._judges[name]

    def judge_name(self, job: "Job") -> str:
        """As on the command line."""
        from pytest_mcpbench.runtime.judges.factory import DEFAULT_JUDGE

        return self.settings.judge or job.suite.judge or DEFAULT_JUDGE

    def list_tools(self, server: "ServerRef") -> list[dict[str, Any]]:
        """What the server's ``tools/list`` says, all pages."""
        return self.rollouts.call(functools.partial(_listed, server, self._config.rootpath))

    def open_sandbox(self, job: "Job", task: "Task", exits: ExitStack) -> "Sandbox":
        """The worlds and the scratch directory of one attempt, closed by ``exits``."""
        from pytest_mcpbench.runtime.sandbox import open_sandbox

        return exits.enter_context(open_sandbox(task, job.suite.directory))

    def begin(self, item: pytest.Item, job: "Job", exits: ExitStack) -> "PendingAttempt":
        """Begin the attempt of an item that pytest has not come to, in a sandbox that ``exits`` closes."""
        from pytest_mcpbench.plugin.execution.lookahead import PendingAttempt

        task, started_at = job.task, _now()
        sandbox = self.open_sandbox(job, task, exits)
        attempt = self._attempt(job, task, job.suite.servers, sandbox, self.agent(job.model))
        return PendingAttempt(self._submit(attempt, item, job), sandbox, started_at, exits)

    def keep(self, item: pytest.Item, job: "Job", begun: "PendingAttempt") -> bool:
        """Record an attempt that was finished before pytest came to its item; whether there was anything to keep."""
        made = _finished(begun.future)
        if made is None or made.error is not None:
            return False
        from pytest_mcpbench.core.errors import MetricError
        from pytest_mcpbench.plugin.output import item_records

        try:
            card = self.scorecard(job, job.task, made.evidence)
        except MetricError:
            return False  # an error is not kept: a resumed run makes it again
        state = RunState(job, begun.started_at, made.seconds, made.evidence, card)
        recorder: Any = self._config.pluginmanager.get_plugin("mcpbench-recorder")
        recorder.append(item_records.record_of_unreported(item, state))
        return True

    def run(
        self,
        item: pytest.Item,
        task: "Task",
        servers: "Mapping[str, ServerRef]",
        sandbox: "Sandbox",
        agent: "Agent",
    ) -> "AttemptEvidence":
        """The attempt's evidence, made now, begun before or taken from the run that is resumed; its error is raised."""
        state = item.stash[RUN_STATE]
        earlier = self.resumed(state.job)
        if earlier is not None:
            state.evidence = earlier
            return earlier
        begun = self.lookahead.take(item)
        if begun is not None:
            future, state.started_at = begun.future, begun.started_at
        else:
            attempt = self._attempt(state.job, task, servers, sandbox, agent)
            future = self._submit(attempt, item, state.job)
        self.lookahead.begin_after(item)
        return _kept(state, self._waited_for(future, item))

    def metrics(self, job: "Job") -> "dict[str, Metric]":
        """The metrics that the job's run is scored with; made once for all jobs of a suite that have the same ones."""
        key = (id(job.suite), job.metric_names)  # a suite lives as long as its items
        if key not in self._metrics:
            from pytest_mcpbench.plugin.collection.catalogue import catalogue_of

            catalogue, settings = catalogue_of(self._config), job.suite.metric_settings
            self._metrics[key] = {name: catalogue.metric(name, settings.get(name, {})) for name in job.metric_names}
        return self._metrics[key]

    def scorecard(self, job: "Job", task: "Task", evidence: "AttemptEvidence") -> "Scorecard":
        """Every metric of the job applied to the run."""
        from pytest_mcpbench.core.score import scorecard

        return scorecard(task, evidence, self.metrics(job), job.floors)

    def resumed(self, job: "Job") -> "AttemptEvidence | None":
        """The job's run in the directory that ``--mcpbench-resume`` names, if it was finished there."""
        if self.settings.resume is None:
            return None
        from pytest_mcpbench.plugin.execution import resume

        return resume.run_of(self._config, job)

    def pytest_unconfigure(self) -> None:
        """Stop every attempt and server."""
        if self._engine is not None:
            self._engine.close()
        if "rollouts" in self.__dict__:
            self.rollouts.close()

    def _waited_for(self, future: "Future[AttemptResult]", item: pytest.Item) -> "AttemptResult":
        from pytest_mcpbench.runtime.loop_thread import wait_for_result

        stopping: Stopping = self._config.pluginmanager.get_plugin("mcpbench-stopping")  # type: ignore[assignment]
        return wait_for_result(future, on_wait=functools.partial(stopping.heed, item.session))

    def _attempt(
        self, job: "Job", task: "Task", servers: "Mapping[str, ServerRef]", sandbox: "Sandbox", agent: "Agent"
    ) -> "Attempt":
        from pytest_mcpbench.runtime.attempt import Attempt

        is_own = servers is job.suite.servers
        return Attempt(
            task=task,
            suite=job.suite if is_own else job.suite.model_copy(update={"servers": dict(servers)}),
            model=job.model,
            trial=job.trial,
            agent=agent,
            sandbox=sandbox,
            questions=functools.partial(self._questions, job),
            judge=self.judge(job) if self._judged(job) else None,
        )

    def _submit(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Future[AttemptResult]":
        engine = self._engine
        if engine is None or engine.fleet is None:
            return self.rollouts.submit(attempt)
        return engine.fleet.submit(engine.described(attempt, item, job))

    def _questions(self, job: "Job", task: "Task", evidence: "AttemptEvidence") -> "Iterator[Question]":
        for metric in self._judged(job):
            yield from metric.questions(task, evidence)

    def _judged(self, job: "Job") -> "list[JudgedMetric]":
        from pytest_mcpbench.core.score import JudgedMetric

        return [metric for metric in self.metrics(job).values() if isinstance(metric, JudgedMetric)]

    def judged_names(self, job: "Job") -> list[str]:
        """The metrics of the job that ask a judge."""
        from pytest_mcpbench.core.score import JudgedMetric

        return [name for name, metric in self.metrics(job).items() if isinstance(metric, JudgedMetric)]


async def _listed(server: "ServerRef", directory: Path, pool: "ServerPool") -> list[dict[str, Any]]:
    return await pool.list_tools(server, directory=directory)


def _finished(future: "Future[AttemptResult]") -> "AttemptResult | None":
    is_good = future.done() and not future.cancelled() and future.exception() is None
    return future.result() if is_good else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _kept(state: RunState, made: "AttemptResult") -> "AttemptEvidence":
    """What came of the attempt; its evidence is kept for the record even where it is an error."""
    state.evidence, state.seconds = made.evidence, made.seconds
    if made.error is not None:
        raise AttemptError(made.error)
    return made.evidence
