"""Plan of a gate: its number of attempts, their price, and the losses that it can detect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mcpbench.core.gate.decision import (
    GateRules,
    GateTrials,
    VerdictName,
    change_of,
    decide,
    tasks_needed,
    tasks_to_confirm,
)
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials

if TYPE_CHECKING:
    import numpy

# Simulated error rates and costs of the gate, decided by the same code as real trials.

BROKEN = 0.02
"""Pass rate of a task whose tool is no longer found."""


@dataclass(frozen=True)
class Scenario:
    """Assumption about a suite and about what a change does to it."""

    tasks: int = 40
    broken: int = 0
    """Tasks, of those that mostly pass, that lose :attr:`loss`."""
    loss: float = 1.0
    """Share of the pass rate that a broken task loses; 1: nearly all of it."""
    fixed: int = 0
    """Tasks that never passed and pass with the change."""
    recorded: bool = False
    """Whether the baseline's first trials are taken from an earlier run, which costs no calls."""
    first_trials: int = 1
    named: int = 0
    """Tasks that name a changed tool, broken ones first, and are repeated whatever their first trials say."""
    rates: tuple[float, ...] = ()
    """Pass rates of the tasks; by default a new suite is drawn for each run with :func:`draw_rates`."""


@dataclass(frozen=True)
class ErrorRates:
    """Results of many simulated runs of the gate."""

    runs: int
    verdicts: dict[VerdictName, int]
    """Only if verdicts were simulated."""
    regressed: float
    improved: float
    calls: float
    """Mean number of attempts, both arms and both stages together."""

    def share(self, verdict: VerdictName) -> float:
        """Return the share of the runs with that verdict."""
        return self.verdicts.get(verdict, 0) / self.runs


def simulate(
    scenario: Scenario, rules: GateRules, *, runs: int = 1000, seed: int = 0, full: bool = False
) -> ErrorRates:
    """Run the gate on drawn outcomes; ``full`` counts the verdicts by name too, which takes longer."""
    import numpy

    random = numpy.random.default_rng(seed)
    verdicts: dict[VerdictName, int] = {}
    regressed = improved = calls = 0
    for _ in range(runs):
        before, after = _rates(scenario, random)
        # Only a task that passes in the baseline is chosen, and of those the broken ones come first.
        likely = sorted(range(scenario.tasks), key=lambda task: (after[task] == before[task], -before[task]))
        named = tuple(str(task) for task in likely[: scenario.named])
        state = GateTrials(_draw(range(scenario.tasks), before, after, scenario.first_trials, random), named=named)
        calls += scenario.tasks * scenario.first_trials * (1 if scenario.recorded else 2)
        while tasks := tasks_to_confirm(state, rules):
            fresh = _draw([int(task) for task in tasks], before, after, rules.fresh_trials, random)
            calls += 2 * rules.fresh_trials * len(tasks)
            state = GateTrials(state.screen, (*state.fresh, *fresh), named=named)
        is_worse = change_of(state, rules, "worse").is_significant
        regressed += is_worse
        improved += not is_worse and change_of(state, rules, "better").is_significant
        if full:
            name = decide(state, rules).name
            verdicts[name] = verdicts.get(name, 0) + 1
    return ErrorRates(runs, verdicts, regressed / runs, improved / runs, calls / runs)


def draw_rates(tasks: int, random: "numpy.random.Generator") -> "numpy.ndarray":
    """Return pass rates as suites have them: 70 % of the tasks nearly always pass, 22 % sometimes, 8 % hardly ever."""
    import numpy

    kind = random.random(tasks)
    sometimes = random.uniform(0.15, 0.85, tasks)
    return numpy.where(
        kind < 0.70, random.beta(40, 1, tasks), numpy.where(kind < 0.92, sometimes, random.beta(1, 20, tasks))
    )


def _rates(scenario: Scenario, random: "numpy.random.Generator") -> "tuple[numpy.ndarray, numpy.ndarray]":
    import numpy

    before = numpy.asarray(scenario.rates) if scenario.rates else draw_rates(scenario.tasks, random)
    after = before.copy()
    # By rank, so that exactly as many tasks change as the scenario says, whatever the suite that was drawn.
    order = numpy.argsort(before + random.random(len(before)) * 1e-6)
    often = [index for index in order if before[index] > 0.5] or list(order)
    changed = random.permutation(often)[: scenario.broken]
    after[changed] = numpy.maximum(BROKEN, before[changed] * (1 - scenario.loss))
    after[order[: scenario.fixed]], before[order[: scenario.fixed]] = 1 - BROKEN, BROKEN
    return before, after


def _draw(
    tasks: Sequence[int], before: "numpy.ndarray", after: "numpy.ndarray", trials: int, random: "numpy.random.Generator"
) -> tuple[TrialPair, ...]:
    """Return trials of both arms with these pass rates."""
    indices = list(tasks)
    passed = zip(random.binomial(trials, before[indices]), random.binomial(trials, after[indices]), strict=True)
    return tuple(
        TrialPair(str(task), Trials(int(one), trials), Trials(int(other), trials))
        for task, (one, other) in zip(indices, passed, strict=True)
    )


_RUNS = 400
_TASKS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Sight:
    """A loss and the probability that the gate detects it."""

    loss: str
    """In words."""
    probability: float


@dataclass(frozen=True)
class GatePlan:
    """Expectation of one gate."""

    tasks: int
    first: int
    """Attempts of the first trials that have to be made."""
    recorded: int
    """First trials that an earlier run has."""
    typical: float
    """Mean of all attempts if nothing changed, in a suite of which one task in five is unstable."""
    most: int
    """Attempts if every task changes."""
    sights: tuple[Sight, ...]
    cost_usd: float | None = None
    """Price of an attempt in an earlier run; ``None`` if it is not known."""
    needed_tasks: int | None = None
    """Tasks without any change that exclude a loss of the margin."""


def plan_gate(
    tasks: int, rules: GateRules, *, trials: int = 1, recorded: int = 0, cost_usd: float | None = None
) -> GatePlan:
    """Return the plan of a gate for tasks with a number of first trials in each arm."""
    runs = max(50, min(_RUNS, _TASKS_AT_ONCE // max(1, tasks * trials)))
    unchanged = simulate(Scenario(tasks=tasks, first_trials=trials), rules, runs=runs)
    first = 2 * tasks * trials - recorded
    sights = []
    # Numbers of tasks, and the share of their passes that they lose.
    for broken, share in ((1, 1.0), (2, 1.0), (3, 1.0), (3, 0.5), (6, 0.5)):
        if broken < tasks:
            scenario = Scenario(tasks=tasks, first_trials=trials, broken=broken, loss=share)
            subject = "1 task that no longer passes" if broken == 1 else f"{broken} tasks that no longer pass"
            words = subject if share == 1 else f"{broken} tasks that pass half as often"
            sights.append(Sight(words, simulate(scenario, rules, runs=runs).regressed))
    return GatePlan(
        tasks=tasks,
        first=first,
        recorded=recorded,
        typical=unchanged.calls - recorded,
        most=first + 2 * rules.fresh_trials * tasks,
        sights=tuple(sights),
        cost_usd=cost_usd,
        needed_tasks=tasks_needed(0.0, rules.margin),
    )
