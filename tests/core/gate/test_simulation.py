"""Error rates of the gate, simulated through the code that decides real runs."""

import pytest

from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.gate.plan import Scenario, simulate

RULES = GateRules()
RUNS = 300
"""So many that a rate of false alarms of 3 % instead of 1 % is seen."""


@pytest.mark.long
@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(recorded=True),
        Scenario(tasks=12, named=8),
        Scenario(rates=(0.5,) * 40, named=2),
    ],
    ids=["recorded baseline", "12 tasks", "all unstable"],
)
def test_an_unchanged_server_is_a_false_alarm_in_at_most_one_of_a_hundred_runs(scenario: Scenario) -> None:
    rates = simulate(scenario, RULES, runs=RUNS, seed=1)

    assert rates.regressed <= 0.01
    assert rates.improved <= 0.01


@pytest.mark.extra
def test_two_broken_tasks_of_forty_are_found_in_95_of_a_hundred_runs_with_170_calls() -> None:
    broken = simulate(Scenario(broken=2), RULES, runs=RUNS, seed=2)
    unchanged = simulate(Scenario(), RULES, runs=RUNS, seed=3)

    assert broken.regressed >= 0.95
    assert broken.calls <= 170
    assert unchanged.calls <= 170
    assert simulate(Scenario(broken=2, recorded=True), RULES, runs=RUNS, seed=2).calls <= 125


@pytest.mark.extra
def test_repeating_the_tasks_of_a_changed_tool_finds_more_losses() -> None:
    half = {named: simulate(Scenario(broken=3, loss=0.5, named=named), RULES, runs=RUNS, seed=7) for named in (0, 2)}

    assert half[2].regressed >= 0.38 > half[0].regressed
    assert half[2].calls <= half[0].calls + 32


def test_two_mended_tasks_are_an_improvement() -> None:
    rates = simulate(Scenario(fixed=2), RULES, runs=RUNS, seed=4)

    assert rates.improved >= 0.95
    assert rates.regressed <= 0.01


def test_confirming_finds_more_than_the_same_number_of_calls_spread_over_all_tasks() -> None:
    confirmed = simulate(Scenario(broken=1), RULES, runs=RUNS, seed=5)
    spread = simulate(Scenario(broken=1, first_trials=5), GateRules(fresh_trials=0), runs=200, seed=5)

    assert confirmed.regressed >= 0.75
    assert spread.regressed <= 0.3
    assert confirmed.calls < spread.calls / 2


def test_verdicts_are_those_of_real_runs() -> None:
    rates = simulate(Scenario(broken=2), RULES, runs=100, seed=6, full=True)

    assert sum(rates.verdicts.values()) == 100
    assert rates.share("REGRESSED") == rates.regressed
