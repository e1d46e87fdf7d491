import random
from itertools import combinations

import pytest

from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials, exact_mcnemar, holm, stratified_p


def _pair(before: int, after: int, made: int = 8) -> TrialPair:
    return TrialPair("task", Trials(before, made), Trials(after, made))


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([_pair(8, 0)], 1 / 12870),
        ([_pair(8, 1)], 8 / 11440),
        ([_pair(4, 0, made=4)], 1 / 70),
        ([_pair(3, 0, made=3)], 1 / 20),
        ([_pair(1, 0, made=1)] * 5, 1 / 32),
        ([_pair(8, 8), _pair(0, 0)], 1.0),
        ([], 1.0),
    ],
)
def test_p_is_the_exact_probability(pairs: list[TrialPair], expected: float) -> None:
    assert stratified_p(pairs) == pytest.approx(expected)


def test_a_p_that_equals_the_level_is_not_rounded_above_it() -> None:
    assert stratified_p([_pair(8, 7), _pair(8, 5), _pair(8, 5)]) == 1 / 200


@pytest.mark.parametrize(("better", "worse"), [(0, 6), (2, 7), (1, 1), (5, 0)])
def test_with_one_trial_each_it_is_mcnemars_exact_test(better: int, worse: int) -> None:
    pairs = [_pair(1, 0, made=1)] * worse + [_pair(0, 1, made=1)] * better + [_pair(1, 1, made=1)] * 9

    both_sides = min(1.0, 2 * min(stratified_p(pairs), stratified_p([pair.swapped for pair in pairs])))

    assert both_sides == pytest.approx(exact_mcnemar(better, worse))


def test_p_counts_the_assignments_of_trials_to_arms_that_are_as_bad_or_worse() -> None:
    strata = [([1, 1, 1, 0], [1, 0, 0, 0]), ([1, 1, 0, 0], [0, 0, 1, 0])]
    observed = sum(sum(after) for _, after in strata)
    sums = [0]
    for before, after in strata:
        trials = before + after
        ways = [sum(chosen) for chosen in combinations(trials, len(after))]
        sums = [total + each for total in sums for each in ways]
    by_hand = sum(total <= observed for total in sums) / len(sums)

    p = stratified_p(TrialPair(str(i), Trials(sum(a), 4), Trials(sum(b), 4)) for i, (a, b) in enumerate(strata))

    assert p == pytest.approx(by_hand)


def test_its_error_rate_holds_for_tasks_that_differ() -> None:
    draw = random.Random(7)
    rates = [draw.random() for _ in range(12)]
    alarms = 0
    for _ in range(2000):
        pairs = [TrialPair("t", *(Trials(sum(draw.random() < p for _ in range(4)), 4) for _ in "ab")) for p in rates]
        alarms += stratified_p(pairs) <= 0.05

    assert alarms / 2000 <= 0.06


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests_and_keeps_the_order() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []
