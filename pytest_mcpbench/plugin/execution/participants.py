"""Those who take part in attempts: agents, judges and users of tasks, and the models that play them."""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.dispatchers import Dispatcher
from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.factory import make_user
from pytest_mcpbench.agents.users.model import user_forms
from pytest_mcpbench.attempt.provider.shared_models import SharedModels
from pytest_mcpbench.core.errors import McpBenchError, hook_problem
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.model_names import NO_USER, external_agent
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.models.chat_request import RequestForms
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import worker_count
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.servers.secret_filter import SecretFilter


class SessionModels:
    """Models of this process or, in a worker, proxies of those in the provider process that all workers share.

    Agents and judges that use the same model share its rate limiter.
    """

    def __init__(
        self, settings: Settings, *, provider_address: str | None, secrets: Callable[[], SecretFilter], cache: Path
    ) -> None:
        self._cache = cache
        self._aliases = settings.aliases
        self._provider_address = provider_address
        self._secrets = secrets

    @functools.cached_property
    def models(self) -> Models:
        if self._provider_address is not None:
            return SharedModels(self._aliases, Path(self._provider_address), self._secrets())
        return Models(self._aliases, cache=self._cache)

    @property
    def speeds(self) -> Mapping[str, Speed]:
        """Speeds of the models of this process that tell it, by name."""
        return dict(self.models.ledger.speeds) if "models" in self.__dict__ else {}

    def cost_usd(self, finished: float | None) -> float | None:
        """Return the cost of all calls of models of this process; ``finished`` if there were none."""
        ledger = self.models.ledger if "models" in self.__dict__ else None
        return ledger.usage.cost_usd if ledger is not None and ledger.replies else finished


# Agents: those of the plugin are made through the same hook as everybody else's.


class BuiltInAgents:
    """Factory of the agents that ship with the plugin."""

    def __init__(self, models: SessionModels) -> None:
        self._models = models
        self._agents: list[Agent] = []

    @pytest.hookimpl(trylast=True)
    def pytest_mcpbench_make_agent(self, settings: Settings, model: str) -> Agent:
        """Return the agent of that name; a name that no agent has is taken for a model, which the LLM agent asks."""
        agent = make_agent(model, self._models.models, temperature=settings.temperature)
        self._agents.append(agent)
        return agent

    def has(self, agent: Agent) -> bool:
        """Return whether the agent was made here, so that any process can make an equal one from its name."""
        return any(made is agent for made in self._agents)


class ExternalAgents:
    """Factory of ``--model=agent:NAME`` and ``acp:COMMAND``: programs as agents, and the options that they exclude."""

    def pytest_mcpbench_make_agent(self, config: pytest.Config, settings: Settings, model: str) -> Agent | None:
        """Return the agent of that name; ``None`` for a name of something else."""
        name = external_agent(model, settings.aliases)
        if name is None:
            return None
        for option, directory in (("record", settings.record), ("replay", settings.replay)):
            if directory is not None:
                problem = "asks its model by itself, so that no cassette can hold the replies"
                raise pytest.UsageError(f"--mcpbench-{option}: {model} {problem}; leave the option out")
        # Here, because it brings mcp and the web server of the proxies: 0.7 s of processor time.
        from pytest_mcpbench.agents.programs.factory import check_port, make_external_agent

        agent = make_external_agent(name, settings.agents, isolation=settings.isolation, root=config.rootpath)
        check_port(agent, workers=worker_count(config))
        return agent


class AgentRegistry:
    """Agents by model, one for the process each."""

    def __init__(self, config: pytest.Config, settings: Settings, built_in: BuiltInAgents) -> None:
        self._config = config
        self._settings = settings
        self._built_in = built_in
        self._agents: dict[tuple[str, float | None], Agent] = {}

    def agent(self, model: str, settings: Settings | None = None) -> Agent:
        """Return the agent of the model, made by the first hook implementation that knows it.

        Args:
            model: Name of the model as the user wrote it.
            settings: Settings of the attempt, whose temperature a sweep may vary; by default those of the run.
        """
        settings = settings or self._settings
        key = model, settings.temperature
        if key not in self._agents:
            make = self._config.hook.pytest_mcpbench_make_agent
            self._agents[key] = make(config=self._config, settings=settings, model=model)
        return self._agents[key]

    def is_built_in(self, agent: Agent) -> bool:
        """Return whether the plugin itself made the agent."""
        return self._built_in.has(agent)


# Judges, users and dispatchers.


class MadeByHooks:
    """Judges, dispatchers and users that hooks make, each asked for once by its name."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._made: dict[tuple[str, str], Any] = {}

    def judge(self, name: str) -> Judge | None:
        """Return the judge of that name; ``None`` if no hook makes it."""
        return cast("Judge | None", self._make("judge", name))

    def dispatcher(self, name: str) -> Dispatcher | None:
        """Return the dispatcher of that name; ``None`` if no hook makes it."""
        return cast("Dispatcher | None", self._make("dispatcher", name))

    def user(self, name: str) -> Callable[[Task, int], User] | None:
        """Return what makes the users of that name; ``None`` if no hook does."""
        return cast("Callable[[Task, int], User] | None", self._make("user", name))

    def _make(self, kind: str, name: str) -> object:
        if (kind, name) not in self._made:
            hook = getattr(self._config.hook, f"pytest_mcpbench_make_{kind}")
            try:
                self._made[kind, name] = hook(config=self._config, settings=self._settings, **{kind: name})
            except (McpBenchError, pytest.UsageError):
                raise
            except Exception as error:
                raise pytest.UsageError(hook_problem(hook.name, error)) from error
        return self._made[kind, name]


class JudgeRegistry:
    """Judges by name, one for the process each, with a common cache of verdicts."""

    def __init__(
        self, models: SessionModels, made_by_hooks: MadeByHooks, *, cache: Path, secrets: Callable[[], SecretFilter]
    ) -> None:
        self._models = models
        self._made_by_hooks = made_by_hooks
        self._cache = cache
        self._secrets = secrets
        self._judges: dict[str, Judge | None] = {}

    def judge(self, job: Job) -> Judge | None:
        """Return the judge of the job's questions."""
        name = job.judge
        if name not in self._judges:
            cache = VerdictCache(self._cache, self._secrets())
            self._judges[name] = make_judge(name, self._models.models, cache=cache, others=self._made_by_hooks.judge)
        return self._judges[name]


class UserRegistry:
    """Users of tasks; the models that play them are shared by all attempts of the process."""

    def __init__(self, models: SessionModels, made_by_hooks: MadeByHooks) -> None:
        self._models = models
        self._made_by_hooks = made_by_hooks
        self._forms: dict[str, RequestForms] = {}

    def user(self, job: Job, task: Task) -> User | None:
        """Return the user of an attempt; ``None`` if the user's messages are those of the task.

        Raises:
            TaskError: the task's user has no script, and no model plays them.
            UsageError: no model has the name.
        """
        make = self._made_by_hooks.user(job.user) if model_plays_user(job) else None
        if make is not None:
            return make(task, job.trial)
        forms = self._forms.setdefault(job.user, user_forms())
        return make_user(task, job.user, self._models.models, trial=job.trial, forms=forms)


def model_plays_user(job: Job) -> bool:
    """Return whether a model plays the user of the job's task."""
    task = job.loaded.task
    has_goal = task is not None and task.user is not None and bool(task.user.goal)
    return has_goal and not job.suite.route and job.user != NO_USER
