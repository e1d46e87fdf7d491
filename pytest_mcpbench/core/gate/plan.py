"""Plan of a gate: the attempts that it takes, their price, and the losses that it can see."""

from dataclasses import dataclass

from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.gate.remedies import tasks_needed
from pytest_mcpbench.core.gate.simulation import Scenario, simulate

_RUNS = 400
_TASKS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Sight:
    """Loss, and how probably the gate sees it."""

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
    return GatePlan(
        tasks=tasks,
        first=first,
        recorded=recorded,
        typical=unchanged.calls - recorded,
        most=first + 2 * rules.fresh_trials * tasks,
        sights=tuple(_sight(loss, tasks, trials, rules, runs) for loss in _losses(tasks)),
        cost_usd=cost_usd,
        needed_tasks=tasks_needed(0.0, rules.margin),
    )


def _losses(tasks: int) -> list[tuple[int, float]]:
    """Return numbers of tasks with the share of their passes that they lose."""
    return [(broken, share) for broken, share in ((1, 1.0), (2, 1.0), (3, 1.0), (3, 0.5), (6, 0.5)) if broken < tasks]


def _sight(loss: tuple[int, float], tasks: int, trials: int, rules: GateRules, runs: int) -> Sight:
    broken, share = loss
    scenario = Scenario(tasks=tasks, first_trials=trials, broken=broken, loss=share)
    subject = "1 task that no longer passes" if broken == 1 else f"{broken} tasks that no longer pass"
    words = subject if share == 1 else f"{broken} tasks that pass half as often"
    return Sight(words, simulate(scenario, rules, runs=runs).regressed)
