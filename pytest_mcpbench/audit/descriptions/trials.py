"""Trials of tasks with and without a mutant."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_mcpbench.agents.agent import Agent, AgentEnvironment
from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.refusal import refusal
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import ResultView
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.mutation import DefinitionMutant
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.statistics.exact_tests import Trials

# Agent that sees a mutant of a server, and whose calls are recorded under the original names.


@dataclass(frozen=True)
class MutantAgent:
    """An agent for which one server of each arena has the definitions of a mutant."""

    agent: Agent
    mutant: DefinitionMutant

    @property
    def name(self) -> str:
        return self.agent.name

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        return await self.agent.attempt(task, MutatedArena(arena, self.mutant))


@dataclass(frozen=True)
class _Shown:
    """A tool as the agent sees it, with the tool of the arena that its calls mean."""

    spec: ToolSpec
    original: ToolSpec | None
    """``None`` for a tool that the mutant adds."""


class MutatedArena:
    """An arena in which the tools of one server are those of a mutant.

    Each call is passed on under the names of the unchanged server, so that references and metrics need not know the
    mutant. A name that the mutant does not have is an unknown one, even if the unchanged server has it.
    """

    def __init__(self, arena: AgentEnvironment, mutant: DefinitionMutant) -> None:
        self._arena = arena
        self._mutant = replace(mutant, definition=mutant.definition.in_directory(lambda: arena.directory))
        server = self._mutant.definition.name
        own = {tool.tool: tool for tool in arena.tools if tool.server == server}
        # In the mutant's order; a tool that it adds is shown where the tool is that it resembles.
        found = (_shown(tool, own, self._mutant) for tool in self._mutant.definition.tools)
        shown = [each for each in found if each is not None]
        # Tools of other servers stay where they are.
        before = next((index for index, tool in enumerate(arena.tools) if tool.server == server), len(arena.tools))
        others = [_Shown(tool, tool) for tool in arena.tools if tool.server != server]
        self._shown = (*others[:before], *shown, *others[before:])
        self.tools = tuple(each.spec for each in self._shown)

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        """Facts about the servers, of which one has the mutant's instructions."""
        definition = self._mutant.definition
        changed = {"instructions": definition.instructions}
        return tuple(
            each.model_copy(update=changed) if each.name == definition.name else each for each in self._arena.servers
        )

    @property
    def searcher(self) -> None:
        """Return ``None``: the mutated definitions are all shown."""
        return None

    @property
    def presentation(self) -> Presentation:
        """Return ``listed``, for programs too."""
        return "listed"

    @property
    def reader(self) -> ContextReader | None:
        return self._arena.reader

    @property
    def result_view(self) -> ResultView:
        return self._arena.result_view

    @property
    def directory(self) -> Path:
        return self._arena.directory

    @property
    def user(self) -> User | None:
        return self._arena.user

    @property
    def respondent(self) -> Respondent | None:
        return self._arena.respondent

    def taped(self, model: Model) -> Model:
        return self._arena.taped(model)

    @property
    def trial(self) -> int:
        return self._arena.trial

    @property
    def lacks_results(self) -> bool:
        return self._arena.lacks_results

    async def call(self, call: Call) -> CallRecord:
        shown = next((each for each in self._shown if each.spec.name == call.name), None)
        refused = refusal(call, [each.spec.name for each in self._shown])
        if shown is None:
            assert refused is not None, "refusal() rejects unknown tools"
            # Renamed, because the unchanged server may have a tool of this name, and a call of it would look right.
            return refused.model_copy(update={"name": _absent(call.name)})
        if shown.original is None:
            target = {"tool": shown.spec.tool, "server": shown.spec.server}
            return refused.model_copy(update=target) if refused else CallRecord(**call.model_dump(), **target)
        original = shown.original
        is_mutated = original.server == self._mutant.definition.name
        renamed = self._mutant.parameter_names.get(original.tool, {}) if is_mutated else {}
        gone = set(renamed.values()) - renamed.keys()
        arguments = {
            renamed.get(name, _absent(name) if name in gone else name): value for name, value in call.arguments.items()
        }
        return await self._arena.call(call.model_copy(update={"name": original.name, "arguments": arguments}))


def _absent(name: str) -> str:
    return f"{name} (not offered)"


def _shown(tool: ToolDefinition, own: dict[str, ToolSpec], mutant: DefinitionMutant) -> _Shown | None:
    """Return a tool of the mutant as the agent sees it; ``None`` if the task does not expose it."""
    original_name = mutant.tool_names.get(tool.name, tool.name)
    is_added = tool.name in mutant.added_tools
    original = own.get(mutant.tools[0] if is_added else original_name)
    if original is None:
        return None
    prefix = original.name.removesuffix(original.tool) if original.name.endswith(original.tool) else ""
    name = original.name if tool.name == original.tool else f"{prefix}{tool.name}"
    spec = tool.spec(original.server).model_copy(update={"name": name})
    return _Shown(spec, None if is_added else original)


@dataclass(frozen=True)
class TrialJob:
    """One trial that is to be made."""

    task: Task
    mutant: DefinitionMutant | None
    """``None``: a trial of the baseline."""
    trial: int


@dataclass(frozen=True)
class Outcome:
    """One trial that was made."""

    passed: bool | None
    """``None``: the trial says nothing, for the reason in :attr:`problem`."""
    problem: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Called tools as pairs of server and the server's own name."""
    seen: frozenset[tuple[str, str]] = frozenset()
    """Tools that the agent saw, as such pairs."""


class TrialRunner:
    """Makes trials in route mode, several at once, in the order of the jobs.

    Args:
        player: Plays and scores the attempts of a suite in route mode.
        make_agent: Function that returns the agent; called once for each mutant.
        concurrency: Number of trials that are made at the same time.
    """

    def __init__(self, player: Player, make_agent: Callable[[], Agent], *, concurrency: int) -> None:
        self._player = player
        self._make_agent = make_agent
        self._concurrency = concurrency
        self._agents: dict[str, Agent] = {}
        self.made = 0
        """Number of trials that were made."""
        self.usage: Usage = NO_USAGE

    @property
    def player(self) -> Player:
        return self._player

    async def run(self, jobs: Sequence[TrialJob]) -> list[Outcome]:
        """Return the outcomes in the order of the jobs."""
        return await concurrent_map(jobs, self._outcome, concurrency=self._concurrency)

    async def _outcome(self, job: TrialJob) -> Outcome:
        # Each mutant has its own agent, because an agent may cache what it knows of its tools.
        key = job.mutant.id if job.mutant else ""
        if key not in self._agents:
            agent = self._make_agent()
            self._agents[key] = MutantAgent(agent, job.mutant) if job.mutant else agent
        result = await self._player.play(job.task, self._agents[key], trial=job.trial)
        self.made += 1
        self.usage += result.evidence.trajectory.usage
        if result.error is not None:
            return Outcome(None, f"{result.error.kind} error: {result.error}")
        card = self._player.score(job.task, result.evidence)
        passed: bool | None
        if card.shortfalls:
            passed, problem = False, ""
        elif card.unscored:
            passed, problem = None, f"unscored: {', '.join(card.unscored)}"
        else:
            passed, problem = True, ""
        calls = tuple((call.server or "", call.called) for call in result.evidence.calls)
        return Outcome(passed, problem, calls, frozenset((tool.server, tool.tool) for tool in result.evidence.tools))


def trials_of(outcomes: Sequence[Outcome]) -> Trials:
    """Return the trials that passed or failed."""
    decided = [outcome.passed for outcome in outcomes if outcome.passed is not None]
    return Trials(sum(decided), len(decided))
