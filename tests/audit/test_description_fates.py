"""Fates of mutants: single decisions, and error rates simulated through the code that decides."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy
import pytest

from pytest_mcpbench.audit.descriptions.outcome import Fate, FateRules, decide_fate, tasks_to_confirm
from pytest_mcpbench.core.gate.decision import DroppedTask, GateRules, GateTrials
from pytest_mcpbench.core.gate.plan import draw_rates
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials

RULES = FateRules()
CERTAIN = FateRules(is_deterministic=True)
SAME = TrialPair("same", Trials(1, 1), Trials(1, 1))
WORSE = TrialPair("worse", Trials(1, 1), Trials(0, 1))
CONFIRMED = TrialPair("worse", Trials(8, 8), Trials(0, 8))
UNCONFIRMED = replace(CONFIRMED, candidate=Trials(8, 8))


def several(pair: TrialPair, count: int) -> tuple[TrialPair, ...]:
    return tuple(replace(pair, task=f"{pair.task}-{number}") for number in range(count))


@pytest.mark.parametrize(
    ("trials", "rules", "fate"),
    [
        (GateTrials((SAME, WORSE)), CERTAIN, "killed"),
        (GateTrials((SAME,)), CERTAIN, "survived"),
        (GateTrials((SAME,), dropped=(DroppedTask("lost", "model error"),)), CERTAIN, "undecided"),
        (GateTrials((SAME, WORSE), (CONFIRMED,)), RULES, "killed"),
        (GateTrials((SAME, WORSE), (replace(CONFIRMED, candidate=Trials(6, 8)),)), RULES, "undecided"),
        (GateTrials((SAME, WORSE), (replace(CONFIRMED, candidate=Trials(0, 0)),)), RULES, "undecided"),
        (GateTrials((SAME,)), RULES, "undecided"),
        (GateTrials(several(SAME, 16)), RULES, "survived"),
        (GateTrials((replace(SAME, baseline=Trials(16, 16), candidate=Trials(16, 16)),)), RULES, "survived"),
        (GateTrials((replace(SAME, baseline=Trials(8, 16), candidate=Trials(8, 16)),)), RULES, "undecided"),
        (
            GateTrials(several(SAME, 16), dropped=(DroppedTask("a", "model error"), DroppedTask("b", "")) * 2),
            RULES,
            "undecided",
        ),
    ],
    ids=[
        "one trial proves a loss",
        "one trial proves that nothing changed",
        "a trial that was not made proves nothing",
        "a confirmed loss",
        "a loss that was not confirmed",
        "fresh trials that no provider answered",
        "too few tasks",
        "enough tasks",
        "enough trials of one task",
        "trials of a task that passes by chance",
        "too many dropped tasks",
    ],
)
def test_a_fate_follows_from_the_trials(trials: GateTrials, rules: FateRules, fate: Fate) -> None:
    assert decide_fate(trials, rules).fate == fate


def test_an_undecided_mutant_says_how_many_trials_would_decide() -> None:
    decision = decide_fate(GateTrials(several(SAME, 4)), RULES)
    assert (decision.reason, decision.needed_trials) == ("no loss; a loss of up to 49 points is not excluded", 4)
    needed = tuple(replace(pair, baseline=Trials(4, 4), candidate=Trials(4, 4)) for pair in several(SAME, 4))
    assert decide_fate(GateTrials(needed), RULES).fate == "survived"


@pytest.mark.parametrize(
    ("fresh", "reason"),
    [
        ((), "2 of 3 tasks got worse; confirmation not run: --max-calls"),
        ((UNCONFIRMED,), "2 of 3 tasks got worse; confirmation for 1 not run: --max-calls"),
        (
            (UNCONFIRMED, replace(UNCONFIRMED, task="other")),
            "2 of 3 tasks got worse, not confirmed; a loss of up to 94 points is not excluded",
        ),
    ],
    ids=["none", "one", "all"],
)
def test_a_loss_whose_confirmation_was_not_run_says_so(fresh: tuple[TrialPair, ...], reason: str) -> None:
    trials = GateTrials((SAME, WORSE, replace(WORSE, task="other")), fresh)
    decision = decide_fate(trials, RULES)
    assert (decision.fate, decision.reason, decision.needed_trials) == ("undecided", reason, None)


def test_the_tasks_of_a_deterministic_agent_need_no_fresh_trials() -> None:
    trials = GateTrials((SAME, WORSE))
    assert (tasks_to_confirm(trials, CERTAIN), tasks_to_confirm(trials, RULES)) == ((), ("worse",))


def simulate(losses: Sequence[float], *, suites: int, trials: int = 1, seed: int = 0) -> Counter[Fate]:
    """Return the fates of mutants that take these shares of the pass rates of their tasks, a number of mutants each.

    All mutants of a suite share the trials of the baseline, as those of a measurement do. As there, a task that never
    passes in the first trials of the baseline is left out.
    """
    random = numpy.random.default_rng(seed)
    fates: Counter[Fate] = Counter()
    fresh = RULES.gate.fresh_trials
    for _ in range(suites):
        before = draw_rates(6, random)
        first, again = random.binomial(trials, before), random.binomial(fresh, before)
        tasks = [index for index in range(len(before)) if first[index]]
        for loss in losses if tasks else ():
            after = before * (1 - loss)
            screen = [_pair(task, first, random.binomial(trials, after), trials) for task in tasks]
            state = GateTrials(tuple(screen))
            confirmed = [
                _pair(int(task), again, random.binomial(fresh, after), fresh) for task in tasks_to_confirm(state, RULES)
            ]
            fates[decide_fate(replace(state, fresh=tuple(confirmed)), RULES).fate] += 1
    return fates


def _pair(task: int, before: numpy.ndarray, after: numpy.ndarray, made: int) -> TrialPair:
    return TrialPair(str(task), Trials(int(before[task]), made), Trials(int(after[task]), made))


@pytest.mark.parametrize("trials", [1, pytest.param(4, marks=pytest.mark.extra)])
def test_mutants_without_effect_are_killed_no_more_often_than_the_gate_is_wrong(trials: int) -> None:
    fates = simulate([0.0] * 10, suites=150, trials=trials)
    assert fates["killed"] / fates.total() <= GateRules().alpha, fates


def test_mutants_that_break_their_tasks_are_killed() -> None:
    fates = simulate([0.98] * 5, suites=60)
    assert fates["killed"] / fates.total() >= 0.95, fates


def test_mutants_with_a_loss_above_the_margin_hardly_ever_survive() -> None:
    fates = simulate([0.3] * 5, suites=60, trials=6)
    assert fates["survived"] / fates.total() <= 0.05, fates
