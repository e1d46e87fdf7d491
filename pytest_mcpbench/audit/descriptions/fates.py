"""Decision about one mutant: killed, survived or undecided."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Literal

from pytest_mcpbench.core.gate.decision import GateRules, GateTrials, decide
from pytest_mcpbench.core.gate.remedies import tasks_needed
from pytest_mcpbench.core.statistics.intervals import paired_shares
from pytest_mcpbench.core.statistics.stratified import TrialPair, Trials

Fate = Literal["killed", "survived", "undecided", "unwatched", "not run"]
"""``killed``: a loss is confirmed. ``survived``: a loss of the margin is excluded. ``undecided``: neither.
``unwatched``: there is no task that could show a loss. ``not run``: the calls were used up."""


@dataclass(frozen=True)
class FateRules:
    """Settings of the decision."""

    gate: GateRules = field(default_factory=GateRules)
    margin: float = 0.2
    """Loss of the pass rate, on the tasks of the mutant, that a survivor excludes."""
    is_deterministic: bool = False
    """Whether all trials of a task are alike, so that one decides."""


@dataclass(frozen=True)
class Decision:
    """Fate of a mutant with its reason."""

    fate: Fate
    reason: str = ""
    """Reason for a fate other than killed and survived."""
    tasks: tuple[str, ...] = ()
    """Tasks of a killed mutant that got worse, the clearest first."""
    needed_trials: int | None = None
    """Trials of each task that would decide, if no task got worse; ``None`` if they are no remedy."""


def tasks_to_confirm(trials: GateTrials, rules: FateRules) -> tuple[str, ...]:
    """Return the tasks that need fresh trials: those that got worse, unless one trial is enough."""
    return () if rules.is_deterministic else trials.worse


def decide_fate(trials: GateTrials, rules: FateRules) -> Decision:
    """Return the fate of a mutant.

    The gate decides whether it is killed. It survives if the first trials exclude a loss of the margin on these tasks:
    a mutant is a question about the tasks that there are, not about tasks like these.
    """
    if rules.is_deterministic and trials.worse:
        return Decision("killed", tasks=trials.worse)
    verdict = decide(trials, rules.gate)
    if verdict.name == "NOT COMPARABLE":
        reasons = "; ".join(f"{each.task}: {each.reason}" for each in trials.dropped[:3])
        return Decision("undecided", f"{len(trials.dropped)} tasks could not be compared ({reasons})")
    if verdict.name == "REGRESSED":
        return Decision("killed", tasks=verdict.worse.confirmed or tuple(each.task for each in verdict.worse.tasks))
    if rules.is_deterministic and not trials.dropped:
        return Decision("survived")
    lowest = paired_shares(*_pooled(trials.screen)).low
    if lowest > -rules.margin:
        return Decision("survived")
    lost = f"{len(trials.worse)} of {len(trials.screen)} tasks got worse, not confirmed" if trials.worse else "no loss"
    return Decision(
        "undecided",
        f"{lost}; a loss of up to {-lowest * 100:.0f} points is not excluded",
        needed_trials=None if trials.worse else _trials_needed(trials.screen, rules.margin),
    )


def _pooled(pairs: Sequence[TrialPair]) -> tuple[int, int, int, int]:
    """Return the numbers of pairs of trials that passed in both arms, only the second, only the first, and never.

    Trials of the same task are independent, so each of one arm is paired with all of the other; what is no whole
    number is counted as disagreement.
    """
    total = sum(pair.candidate.made for pair in pairs)
    worse = ceil(sum(pair.baseline.passed * _failed(pair.candidate) / pair.candidate.made for pair in pairs))
    better = ceil(sum(_failed(pair.baseline) * pair.candidate.passed / pair.candidate.made for pair in pairs))
    never = floor(sum(_failed(pair.baseline) * _failed(pair.candidate) / pair.candidate.made for pair in pairs))
    return max(0, total - worse - better - never), better, worse, never


def _failed(trials: Trials) -> int:
    return trials.made - trials.passed


def _trials_needed(pairs: Sequence[TrialPair], margin: float) -> int | None:
    needed = tasks_needed(0.0, margin)
    return ceil(needed / len(pairs)) if needed is not None and pairs else None
