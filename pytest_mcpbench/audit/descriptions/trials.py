"""Trials of tasks with and without a mutant."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.audit.descriptions.mutant_agent import MutantAgent
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.statistics.stratified import Trials
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage
from pytest_mcpbench.definitions.mutation import Mutant
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.concurrent_map import concurrent_map
from pytest_mcpbench.runtime.player import Player


@dataclass(frozen=True)
class Job:
    """One trial that is to be made."""

    task: Task
    mutant: Mutant | None
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

    async def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Return the outcomes in the order of the jobs."""
        return await concurrent_map(jobs, self._outcome, concurrency=self._concurrency)

    async def _outcome(self, job: Job) -> Outcome:
        result = await self._player.play(job.task, self._agent(job.mutant), trial=job.trial)
        self.made += 1
        self.usage += result.evidence.trajectory.usage
        if result.error is not None:
            return Outcome(None, f"{result.error.kind} error: {result.error}")
        card = self._player.score(job.task, result.evidence)
        passed, problem = _verdict(card)
        calls = tuple((call.server or "", call.called) for call in result.evidence.calls)
        return Outcome(passed, problem, calls, frozenset((tool.server, tool.tool) for tool in result.evidence.tools))

    def _agent(self, mutant: Mutant | None) -> Agent:
        """Return the agent of a mutant; each has its own, because an agent may cache what it knows of its tools."""
        key = mutant.id if mutant else ""
        if key not in self._agents:
            agent = self._make_agent()
            self._agents[key] = MutantAgent(agent, mutant) if mutant else agent
        return self._agents[key]


def trials_of(outcomes: Sequence[Outcome]) -> Trials:
    """Return the trials that passed or failed."""
    decided = [outcome.passed for outcome in outcomes if outcome.passed is not None]
    return Trials(sum(decided), len(decided))


def _verdict(card: Scorecard) -> tuple[bool | None, str]:
    if card.shortfalls:
        return False, ""
    return (None, f"unscored: {', '.join(card.unscored)}") if card.unscored else (True, "")
