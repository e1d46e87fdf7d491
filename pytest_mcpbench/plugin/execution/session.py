"""Services of the session: the parts that run and score attempts, connected with each other, and what fixtures ask."""

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.protocol_findings import ProtocolFinding, faults
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.settings import LintResult, apply_settings
from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ARMS, ITEM_STATE, ItemState
from pytest_mcpbench.plugin.collection.jobs import Job, job_of_item
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.collection.suite_paths import node_id
from pytest_mcpbench.plugin.collection.task_items import TaskWarning
from pytest_mcpbench.plugin.execution.arm_comparisons import ArmComparisons
from pytest_mcpbench.plugin.execution.attempts import AttemptFactory, ComponentReferences, Scorer, cassette_in_use
from pytest_mcpbench.plugin.execution.budget import Budget, BudgetStop
from pytest_mcpbench.plugin.execution.engines import Engine, LocalAttempts
from pytest_mcpbench.plugin.execution.participants import (
    AgentRegistry,
    BuiltInAgents,
    ExternalAgents,
    JudgeRegistry,
    MadeByHooks,
    SessionModels,
    UserRegistry,
)
from pytest_mcpbench.plugin.execution.resume import EarlierAttempts
from pytest_mcpbench.plugin.execution.scheduler import AttemptScheduler
from pytest_mcpbench.plugin.execution.scratch import Scratch
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.linting import lint_servers, lint_settings

Result = TypeVar("Result")


@dataclass(frozen=True)
class Session:
    """The services, one of each for the process."""

    config: pytest.Config
    models: SessionModels
    agents: AgentRegistry
    judges: JudgeRegistry
    made_by_hooks: MadeByHooks
    scorer: Scorer
    factory: AttemptFactory
    local: LocalAttempts
    scheduler: AttemptScheduler
    budget: Budget
    budget_stop: BudgetStop
    comparisons: ArmComparisons | None
    """``None`` in a run that compares no arms."""
    earlier: EarlierAttempts
    parts: Mapping[str, object]
    """Parts with hooks, by plugin name."""

    def of(self, item: pytest.Item) -> "ItemSession":
        """Return the services as the fixtures of an item use them."""
        return ItemSession(self, item)

    # What the fixtures of a server return. A server that does not start is an error of the test.

    def definition(self, server: ServerRef) -> ServerDefinition:
        """Return everything that a client sees of a server."""
        return _or_attempt_error(lambda: self.local.definition(server))

    def tools(self, server: ServerRef) -> list[dict[str, Any]]:
        """Return the tools of a server in the form of lock files, without secrets."""
        shown = known_secrets(self.config).remove_from_definition(self.definition(server))
        return [dict(tool.canonical) for tool in shown.tools]

    def lint(self, server: ServerRef) -> LintResult:
        """Return the findings about a server that the project does not ignore."""

        def lint() -> LintResult:
            settings = lint_settings(self.config.rootpath)
            configured = ConfiguredServer(server.name, server, ())
            return apply_settings(lint_servers([(configured, self.local.definition(server))], settings), settings)

        return _or_attempt_error(lint)

    def protocol_faults(self, server: ServerRef) -> tuple[ProtocolFinding, ...]:
        """Return the rules of the protocol that a server breaks."""
        return _or_attempt_error(lambda: faults(self.local.check_protocol(server)))


@dataclass(frozen=True)
class ItemSession:
    """The services as the fixtures of one item use them."""

    _session: Session
    item: pytest.Item

    def begin(self) -> Job | None:
        """Begin the state of the item, and return its job; ``None`` in a test without a task."""
        job = job_of_item(self.item)
        if job is not None:
            started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
            self.item.stash[ITEM_STATE] = ItemState(job, started_at=started_at)
        return job

    def sandbox(self, job: Job | None, task: Task | None) -> Iterator[Sandbox]:
        """Yield the sandbox of the item's attempt, or an empty one in a test without a task."""
        with ExitStack() as exits:
            if job is None or task is None:
                yield exits.enter_context(self._session.factory.empty_sandbox())
            else:
                yield self._session.scheduler.sandbox(self.item, job, task, exits)

    def agent(self, job: Job) -> Agent:
        """Return the agent of a job's model."""
        return self._session.agents.agent(job.written_model, job.settings)

    def evidence(self, task: Task, servers: Mapping[str, ServerRef], sandbox: Sandbox, agent: Agent) -> AttemptEvidence:
        """Return the evidence of the item's attempt, and issue the warnings that it has noted.

        Those of many tasks have the same text, so that pytest joins them.
        """
        evidence = self._session.scheduler.evidence(self.item, task, servers, sandbox, agent)
        texts = [
            f"server {server!r} does not read these fields of its seed: {', '.join(fields)}"
            for server, fields in evidence.notes.unread_fields.items()
        ]
        for text in (*texts, *evidence.notes.warnings):
            warnings.warn_explicit(TaskWarning(text), None, node_id(self.item.path, self.item.config), 0)
        return evidence

    def scorecard(self, task: Task, evidence: AttemptEvidence) -> Scorecard:
        """Return the scorecard of the item's attempt; it computes further metrics when a test asks for them."""
        state, scorer = self.item.stash[ITEM_STATE], self._session.scorer
        state.scorecard = scorer.scorecard(state.job, task, evidence)
        return state.scorecard.computing(lambda name: scorer.score(state.job, task, evidence, name))


def _or_attempt_error(compute: Callable[[], Result]) -> Result:
    try:
        return compute()
    except McpBenchError as error:
        raise AttemptError(error) from None


def make_session(
    config: pytest.Config,
    channel: WorkerChannel,
    scratch: Scratch,
    directory: Path,
    check_stop: Callable[[pytest.Session], None],
) -> Session:
    """Make the services. Raises a usage error for options that conflict."""
    settings = config.stash[SETTINGS]
    secrets = functools.partial(known_secrets, config)
    cache = config.rootpath / ".mcpbench"
    models = SessionModels(settings, provider_address=channel.input.provider_address, secrets=secrets, cache=cache)
    built_in_agents = BuiltInAgents(models)
    agents = AgentRegistry(config, settings, built_in_agents)
    made_by_hooks = MadeByHooks(config, settings)
    judges = JudgeRegistry(models, made_by_hooks, cache=cache / "verdicts", secrets=secrets)
    scorer = Scorer(config)
    cassette = cassette_in_use(config, secrets)
    factory = AttemptFactory(agents, judges, UserRegistry(models, made_by_hooks), scorer, secrets, cassette, scratch)
    local = LocalAttempts(settings, models, made_by_hooks, root=config.rootpath)
    engine = _make_engine(config, ComponentReferences(config, agents, scorer, made_by_hooks), agents, local, channel)
    budget = Budget(settings, models, scratch, channel)
    budget_stop = BudgetStop(config, budget)
    arms = config.stash.get(ARMS, None)
    earlier = EarlierAttempts(settings.resume, directory, channel.process, arms)
    scheduler = AttemptScheduler(
        config, factory, local, engine, earlier, budget, budget_stop, channel, directory, secrets, check_stop
    )
    parts: dict[str, object | None] = {
        "engine": engine,
        "built-in-agents": built_in_agents,
        "external-agents": ExternalAgents(),
        "cassette": cassette,
        "scheduling": scheduler,
        "budget": budget if budget.is_limited else None,
        "budget-stop": budget_stop if budget.is_limited else None,
    }
    return Session(
        config=config,
        models=models,
        agents=agents,
        judges=judges,
        made_by_hooks=made_by_hooks,
        scorer=scorer,
        factory=factory,
        local=local,
        scheduler=scheduler,
        budget=budget,
        budget_stop=budget_stop,
        comparisons=ArmComparisons(arms, local, settings) if arms is not None else None,
        earlier=earlier,
        parts={name: part for name, part in parts.items() if part is not None},
    )


def _make_engine(
    config: pytest.Config,
    references: ComponentReferences,
    agents: AgentRegistry,
    local: LocalAttempts,
    channel: WorkerChannel,
) -> Engine | None:
    """Return the engine of ``--mcpbench-engine``, ``None`` if each process runs its own attempts."""
    settings = config.stash[SETTINGS]
    if settings.engine == LOCAL:
        return None
    # Imported here, because only runs with an engine need it.
    from pytest_mcpbench.plugin.execution.remote_engine import RemoteEngine, SharedEngine

    if settings.engine == SHARED:
        return SharedEngine(settings, local, references, agents, channel)
    return RemoteEngine(config, local, references)


# Direct calls of a server's tools in users' own tests, without a task and an agent.


class ToolCaller:
    """Function that calls a tool of one server; the server starts with the first call and lives until the test ends."""

    def __init__(self, server: ServerRef, local: LocalAttempts, directory: Path) -> None:
        self.server = server
        self.directory = directory
        """Directory in which the server works; files that a test writes before the first call are there."""
        self._local = local
        self._exits = AsyncExitStack()
        self._connection: ServerConnection | None = None

    def __call__(self, tool: str, /, **arguments: Any) -> ToolResult:
        """Return the result of a call; an error of the tool is a result with ``is_error``.

        Raises:
            AttemptError: the server does not start, or is gone.
        """
        try:
            return self._local.executor.call(functools.partial(self._call, tool, arguments))
        except McpBenchError as error:
            raise AttemptError(error) from None

    def close(self) -> None:
        """End the server."""
        if self._connection is not None:
            self._local.executor.call(self._close)

    async def _call(self, tool: str, arguments: dict[str, Any], pool: ServerPool) -> ToolResult:
        if self._connection is None:
            self._connection = await self._exits.enter_async_context(pool.session(self.server, self.directory))
        return await self._connection.call(tool, arguments)

    async def _close(self, _pool: ServerPool) -> None:
        await self._exits.aclose()


def tool_caller(server: ServerRef, local: LocalAttempts, directory: Path) -> Iterator[ToolCaller]:
    """Yield the function, for a server that works in a new directory; end the server behind it."""
    directory.mkdir()
    caller = ToolCaller(server, local, directory)
    yield caller
    caller.close()
