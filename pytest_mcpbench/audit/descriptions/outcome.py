"""Outcomes of the mutants of a suite's servers, and their totals."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pytest_mcpbench.audit.descriptions.fates import Decision, Fate
from pytest_mcpbench.core.gate.decision import Dropped, GateTrials
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage
from pytest_mcpbench.definitions.mutation import LURES, REMOVES_TEXT, Mutant

NO_TRIALS = GateTrials(())


@dataclass(frozen=True)
class MutantOutcome:
    """One mutant with its fate and the trials behind it."""

    mutant: Mutant
    decision: Decision
    trials: GateTrials = NO_TRIALS
    called_instead: Mapping[str, int] = field(default_factory=dict)
    """Tool -> number of failed trials that called it; of the tasks that got worse."""

    @property
    def fate(self) -> Fate:
        return self.decision.fate

    @property
    def server(self) -> str:
        return self.mutant.definition.name

    @property
    def is_lure(self) -> bool:
        """Return whether the mutant adds something that draws calls."""
        return self.mutant.mutator in LURES

    @property
    def may_be_wasted(self) -> bool:
        """Return whether the mutant survived and has less text, so that the text may earn nothing."""
        return self.fate == "survived" and self.mutant.mutator in REMOVES_TEXT


@dataclass(frozen=True)
class ToolOfServer:
    """A tool of which there are mutants."""

    server: str
    name: str
    tokens: int
    """Estimated tokens of its definition."""
    tasks: tuple[str, ...]
    """Tasks whose first message names it."""
    passing: tuple[str, ...]
    """Those of its tasks that the agent passes with the unchanged definition."""
    is_named_later: bool = False
    """Whether tasks name it in later messages only, which route mode does not reach."""


@dataclass(frozen=True)
class MutationReport:
    """The outcomes of all mutants of a suite with one model."""

    suite: str
    model: str
    tools: tuple[ToolOfServer, ...]
    outcomes: tuple[MutantOutcome, ...]
    tasks: int
    """Tasks of the suite."""
    passing: int
    """Tasks that passed at least once with the unchanged definitions; the others can show no loss."""
    dropped: tuple[Dropped, ...]
    """Tasks without a result in the baseline, with the reason."""
    trials: int
    fresh_trials: int
    margin: float
    alpha: float
    is_deterministic: bool
    calls: int
    """Attempts that were made, each of one model call."""
    usage: Usage = NO_USAGE

    @property
    def weakened(self) -> tuple[MutantOutcome, ...]:
        """The outcomes of the mutants that lack or hide something, which the score is about."""
        return tuple(each for each in self.outcomes if not each.is_lure)

    @property
    def lures(self) -> tuple[MutantOutcome, ...]:
        """The outcomes of the mutants that add something which draws calls."""
        return tuple(each for each in self.outcomes if each.is_lure)

    @property
    def score(self) -> float | None:
        """Share of killed mutants among killed and survived ones, without lures; ``None`` if there are neither."""
        return killed_share(self.weakened)

    def of_tool(self, tool: ToolOfServer) -> tuple[MutantOutcome, ...]:
        """Return the outcomes of the mutants of one tool alone."""
        return tuple(each for each in self.outcomes if (each.server, each.mutant.tools) == (tool.server, (tool.name,)))

    @property
    def of_several_tools(self) -> tuple[MutantOutcome, ...]:
        """The outcomes of mutants that change more than one tool."""
        return tuple(each for each in self.outcomes if len(each.mutant.tools) > 1)

    @property
    def unwatched(self) -> tuple[ToolOfServer, ...]:
        """Tools that no task names."""
        return tuple(tool for tool in self.tools if not tool.tasks and not tool.is_named_later)

    @property
    def named_later(self) -> tuple[ToolOfServer, ...]:
        """Tools that tasks name in later messages only."""
        return tuple(tool for tool in self.tools if tool.is_named_later)

    @property
    def never_passed(self) -> tuple[ToolOfServer, ...]:
        """Tools with tasks, none of which passes with the unchanged definitions."""
        return tuple(tool for tool in self.tools if tool.tasks and not tool.passing)


def fates_of(outcomes: Iterable[MutantOutcome]) -> Counter[Fate]:
    """Return the number of mutants by fate."""
    return Counter(outcome.fate for outcome in outcomes)


def killed_share(outcomes: Iterable[MutantOutcome]) -> float | None:
    """Return the share of killed mutants among killed and survived ones; ``None`` if there are neither."""
    totals = fates_of(outcomes)
    decided = totals["killed"] + totals["survived"]
    return totals["killed"] / decided if decided else None
