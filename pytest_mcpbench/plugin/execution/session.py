"""Services of the session: the parts that run and score attempts, connected with each other."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED
from pytest_mcpbench.plugin.collection.arms import ARMS
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.execution.agents import AgentRegistry, BuiltInAgents
from pytest_mcpbench.plugin.execution.arm_comparisons import ArmComparisons
from pytest_mcpbench.plugin.execution.attempt_builder import AttemptBuilder
from pytest_mcpbench.plugin.execution.attempt_executor import AttemptExecutor, Engine, LocalAttempts
from pytest_mcpbench.plugin.execution.attempt_runner import AttemptRunner
from pytest_mcpbench.plugin.execution.budget import Budget
from pytest_mcpbench.plugin.execution.budget_gate import BudgetGate
from pytest_mcpbench.plugin.execution.cassettes import CassetteInUse, cassette_in_use
from pytest_mcpbench.plugin.execution.fresh_trials import FreshTrials
from pytest_mcpbench.plugin.execution.journal import SessionJournal
from pytest_mcpbench.plugin.execution.judges import JudgeRegistry
from pytest_mcpbench.plugin.execution.lookahead import LookAhead, UpcomingItems
from pytest_mcpbench.plugin.execution.models import SessionModels
from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder
from pytest_mcpbench.plugin.execution.resume import EarlierAttempts
from pytest_mcpbench.plugin.execution.scoring import Scorer
from pytest_mcpbench.plugin.execution.users import UserRegistry

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.scratch import Scratch


@dataclass(frozen=True)
class Session:
    """The services, one of each for the process."""

    models: SessionModels
    agents: AgentRegistry
    built_in_agents: BuiltInAgents
    judges: JudgeRegistry
    users: UserRegistry
    scorer: Scorer
    local: LocalAttempts
    engine: Engine | None
    cassette: CassetteInUse | None
    executor: AttemptExecutor
    journal: SessionJournal
    upcoming: UpcomingItems
    lookahead: LookAhead
    runner: AttemptRunner
    budget: Budget
    budget_gate: BudgetGate
    comparisons: ArmComparisons
    fresh_trials: FreshTrials
    earlier: EarlierAttempts


SESSION = pytest.StashKey[Session]()


def make_session(
    config: pytest.Config,
    channel: "WorkerChannel",
    scratch: "Scratch",
    directory: Path,
    check_stop: Callable[[pytest.Session], None],
) -> Session:
    """Make the services. They import what they need on first use, so that a run without tasks does not pay for it."""
    settings = config.stash[SETTINGS]
    secrets = functools.partial(known_secrets, config)
    cache = config.rootpath / ".mcpbench"
    models = SessionModels(settings, provider_address=channel.input.provider_address, secrets=secrets, cache=cache)
    built_in_agents = BuiltInAgents(models)
    agents = AgentRegistry(config, settings, built_in_agents)
    judges = JudgeRegistry(settings, models, cache=cache / "verdicts", secrets=secrets)
    users = UserRegistry(settings, models)
    scorer = Scorer(config)
    cassette = cassette_in_use(config, secrets)
    builder = AttemptBuilder(agents, judges, users, scorer, secrets, cassette, scratch)
    local = LocalAttempts(settings, models, root=config.rootpath)
    engine = _make_engine(config, RemoteAttemptBuilder(config, agents, judges, users, scorer), local, channel)
    journal = SessionJournal(directory, channel, secrets)
    budget = Budget(settings, models, scratch, channel)
    executor = AttemptExecutor(config, local, engine, journal, check_stop, budget)
    upcoming = UpcomingItems(config)
    arms = config.stash[ARMS]
    earlier = EarlierAttempts(settings.resume, directory, channel.process, arms)
    lookahead = LookAhead(upcoming, builder, executor, earlier, channel, budget)
    budget_gate = BudgetGate(config, budget, lookahead)
    return Session(
        models=models,
        agents=agents,
        built_in_agents=built_in_agents,
        judges=judges,
        users=users,
        scorer=scorer,
        local=local,
        engine=engine,
        cassette=cassette,
        executor=executor,
        journal=journal,
        upcoming=upcoming,
        lookahead=lookahead,
        runner=AttemptRunner(builder, executor, lookahead, earlier, budget_gate),
        budget=budget,
        budget_gate=budget_gate,
        comparisons=ArmComparisons(arms, local, settings),
        fresh_trials=FreshTrials(builder, local, scorer, budget, concurrency=settings.concurrency),
        earlier=earlier,
    )


def _make_engine(
    config: pytest.Config, builder: RemoteAttemptBuilder, local: LocalAttempts, channel: "WorkerChannel"
) -> Engine | None:
    """Return the engine of ``--mcpbench-engine``, ``None`` if each process runs its own attempts."""
    settings = config.stash[SETTINGS]
    if settings.engine == LOCAL:
        return None
    if settings.engine == SHARED:
        from pytest_mcpbench.plugin.execution.remote_engine import SharedEngine

        return SharedEngine(settings, local, builder, channel)
    from pytest_mcpbench.plugin.execution.remote_engine import RemoteEngine

    return RemoteEngine(config, local, builder)
