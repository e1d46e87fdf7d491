"""Attempts made from plans: the agent, the servers, the sandbox, the judge, the tape; and their scores."""

import functools
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef, tape_file
from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents, JudgeRef, MetricRef
from pytest_mcpbench.attempt.sandbox import open_empty_sandbox, open_sandbox
from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.model_identity import judge_identity, model_identity
from pytest_mcpbench.core.model_names import external_agent, panel_members, reads_local_file
from pytest_mcpbench.core.planning import AttemptDescription, AttemptPlan
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import JudgedMetric, Metric, Score, Scorecard, scorecard
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.options.settings import SETTINGS, Settings
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_fixtures import item_fixtures
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.participants import (
    AgentRegistry,
    JudgeRegistry,
    MadeByHooks,
    UserRegistry,
    model_plays_user,
)
from pytest_mcpbench.plugin.execution.scratch import Scratch
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.text.suggestions import hint


class AttemptFactory:
    """Factory that collects everything that an attempt needs beside its plan."""

    def __init__(  # noqa: PLR0913 (the parts of an attempt)
        self,
        agents: AgentRegistry,
        judges: JudgeRegistry,
        users: UserRegistry,
        scorer: "Scorer",
        secrets: Callable[[], SecretFilter],
        cassette: "CassetteInUse | None",
        scratch: Scratch,
    ) -> None:
        self._agents = agents
        self._judges = judges
        self._users = users
        self._scorer = scorer
        self._secrets = secrets
        self._cassette = cassette
        self._scratch = scratch

    def open_sandbox(self, job: Job, task: Task, exits: ExitStack) -> Sandbox:
        """Return the worlds and the scratch directory of one attempt; ``exits`` closes them."""
        return exits.enter_context(open_sandbox(task, job.suite.directory, self._scratch.directory))

    def empty_sandbox(self) -> AbstractContextManager[Sandbox]:
        """Return a sandbox of no attempt, for fixtures of tests without a task."""
        return open_empty_sandbox(self._scratch.directory)

    def default_attempt(self, job: Job, description: AttemptDescription, sandbox: Sandbox) -> Attempt:
        """Return the attempt of an item that overrides no fixture."""
        agent = self._agents.agent(job.written_model, job.settings)
        return self.attempt(job, description, job.task, job.suite.servers, sandbox, agent)

    def attempt(  # noqa: PLR0913 (what the fixtures of an item provide)
        self,
        job: Job,
        description: AttemptDescription,
        task: Task,
        servers: Mapping[str, ServerRef],
        sandbox: Sandbox,
        agent: Agent,
    ) -> Attempt:
        """Return the attempt of an item, with the task, the servers and the agent that its fixtures provide.

        Raises:
            TaskError: the id of the task contains a secret, without which its evidence could not be stored.
        """
        if self._secrets().remove(task.id) != task.id:
            problem = "it contains the value of a secret, which is removed from records."
            raise TaskError(problem, job.loaded.place, "id", "Choose another id.")
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


class Scorer:
    """Metrics of jobs, configured once for all jobs of a suite that have the same ones."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._metrics: dict[tuple[int, tuple[str, ...]], dict[str, Metric]] = {}
        self._judged: dict[int, dict[str, JudgedMetric]] = {}
        """Those that ask a judge, by the id of the metrics, which stay as long as this."""

    def scorecard(self, job: Job, task: Task, evidence: AttemptEvidence) -> Scorecard:
        """Apply every metric of the job to the evidence."""
        return scorecard(task, evidence, self.metrics(job), job.floors, job.criteria)

    def score(self, job: Job, task: Task, evidence: AttemptEvidence, name: str) -> Score:
        """Return the score of a metric that the task does not need. Raises KeyError if no metric has the name."""
        catalogue = catalogue_of(self._config)
        if name not in catalogue.metrics:
            raise KeyError(f"no metric is called {name!r}. {hint(name, catalogue.metrics)}")
        metric = catalogue.metric(name, job.suite.metric_settings.get(name, {}))
        return scorecard(task, evidence, {name: metric}, {}).scores[name]

    def metrics(self, job: Job) -> dict[str, Metric]:
        """Return the job's metrics by name, with the settings of its suite."""
        settings = job.description.metrics
        key = (id(job.suite), tuple(settings))  # a suite lives as long as its items, so the id is not used again
        if key not in self._metrics:
            catalogue = catalogue_of(self._config)
            self._metrics[key] = {name: catalogue.metric(name, of_metric) for name, of_metric in settings.items()}
        return self._metrics[key]

    def judged_metrics(self, job: Job) -> dict[str, JudgedMetric]:
        """Return those of the job's metrics that ask a judge."""
        metrics = self.metrics(job)
        # Once for all jobs that have the same metrics: Python looks at each method of a protocol again.
        if id(metrics) not in self._judged:
            found = {name: metric for name, metric in metrics.items() if isinstance(metric, JudgedMetric)}
            self._judged[id(metrics)] = found
        return self._judged[id(metrics)]

    def questions(self, job: Job, task: Task, evidence: AttemptEvidence) -> Iterator[Question]:
        """Yield the questions of the job's metrics for a judge."""
        for metric in self.judged_metrics(job).values():
            yield from metric.questions(task, evidence)


# References from which another process makes an equal agent and judge.


class ComponentReferences:
    """Source of the references of an attempt."""

    def __init__(
        self, config: pytest.Config, agents: AgentRegistry, scorer: Scorer, made_by_hooks: MadeByHooks
    ) -> None:
        self._config = config
        self._agents = agents
        self._scorer = scorer
        self._made_by_hooks = made_by_hooks

    def components(self, item: pytest.Item, job: Job, agent: Agent) -> AttemptComponents:
        """Return the references. Raises UsageError, with the reason, if only this process can run the attempt."""
        if not hasattr(item, "job"):
            raise UsageError("it belongs to a test of your own, whose fixtures are here")
        fixture = item_fixtures(item).per_item
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up here, before the attempt")
        if reads_local_file(job.user, job.settings.aliases):
            raise UsageError(f"the user's model {job.user} reads files of this machine")
        if model_plays_user(job) and self._made_by_hooks.user(job.user) is not None:
            raise UsageError(f"a hook of yours makes the user {job.user} here")
        if self._made_by_hooks.dispatcher(job.suite.dispatcher) is not None:
            raise UsageError(f"a hook of yours makes the dispatcher {job.suite.dispatcher} here")
        return AttemptComponents(agent=self._agent(job, agent), judge=self._judge(job), user=job.user)

    def _agent(self, job: Job, agent: Agent) -> AgentRef:
        model, settings = job.written_model, job.settings
        if settings.record is not None or settings.replay is not None:
            raise UsageError("the cassette is here")
        if external_agent(model, settings.aliases) is not None:
            raise UsageError(f"{model} is a program of this machine")
        if not self._agents.is_built_in(agent):
            return AgentRef(name=model, temperature=settings.temperature, pickled=_pickle(model, agent))
        if reads_local_file(model, settings.aliases):
            raise UsageError(f"{model} reads files of this machine")
        return AgentRef(name=model, temperature=settings.temperature)

    def _judge(self, job: Job) -> JudgeRef | None:
        """Return the judge; ``None`` if this process has to ask it, because it or a metric comes from a hook."""
        if any(self._made_by_hooks.judge(name) is not None for name in panel_members(job.judge)):
            return None
        metrics = catalogue_of(self._config).metrics
        addresses: dict[str, Any] = {name: metrics[name] for name in self._scorer.judged_metrics(job)}
        if not addresses or not all(isinstance(address, str) for address in addresses.values()):
            return None
        settings = job.suite.metric_settings
        refs = {
            name: MetricRef(address=address, settings=settings.get(name, {})) for name, address in addresses.items()
        }
        return JudgeRef(name=job.judge, metrics=refs)


def _pickle(model: str, agent: Agent) -> bytes:
    try:
        return pickle.dumps(agent)
    except Exception as error:
        raise UsageError(f"the agent of {model}, which a hook makes, cannot be pickled ({error})") from error


# Cassette of the session, which ``--mcpbench-record`` fills and ``--mcpbench-replay`` plays.


Mode = Literal["record", "replay"]


class CassetteInUse:
    """Directory of tapes, with what each attempt needs to find its own."""

    def __init__(
        self,
        mode: Mode,
        directory: Path,
        settings: Settings,
        secrets: Callable[[], SecretFilter],
    ) -> None:
        self._mode = mode
        self._directory = directory
        self._settings = settings
        self._secrets = secrets

    def tape(self, job: Job) -> TapeRef:
        """Return the reference to the tape of an attempt."""
        aliases = self._settings.aliases
        return TapeRef(
            mode=self._mode,
            directory=self._directory,
            file=tape_file(job.suite.name, job.test or "", job.arm, job.model, task=job.loaded.id, trial=job.trial),
            model=model_identity(job.written_model, aliases, os.environ),
            judge=judge_identity(job.judge, aliases, os.environ),
            records_tools=self._settings.record_tools,
            remove_secrets=self._secrets().remove,
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show where replies were recorded, or that all of them were replayed."""
        if self._mode == "replay":
            terminalreporter.write_line(
                f"mcpbench: replayed from {self._directory}: no model was asked; tokens and costs are the recorded ones"
            )
        elif self._directory.is_dir():
            terminalreporter.write_line(
                f"mcpbench: recorded in {self._directory}; --mcpbench-replay={self._directory} repeats the run"
            )


def cassette_in_use(config: pytest.Config, secrets: Callable[[], SecretFilter]) -> CassetteInUse | None:
    """Return the cassette of the options, ``None`` without them. Raises a usage error for options that conflict."""
    settings = config.stash[SETTINGS]
    if settings.record is not None and settings.replay is not None:
        raise pytest.UsageError("--mcpbench-record and --mcpbench-replay exclude each other")
    if settings.record_tools and settings.record is None:
        raise pytest.UsageError("--mcpbench-record-tools needs --mcpbench-record=DIR")
    make = functools.partial(CassetteInUse, settings=settings, secrets=secrets)
    if settings.record is not None:
        return make("record", settings.record)
    return make("replay", settings.replay) if settings.replay is not None else None
