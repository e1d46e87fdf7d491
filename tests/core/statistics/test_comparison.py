from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.core.statistics import Interval, compare, exact_mcnemar, smallest_significant_share


@pytest.mark.parametrize("discordant", range(1, 9))
def test_mcnemar_is_what_counting_all_ways_to_fall_gives(discordant: int) -> None:
    ways = [sum(way) for way in product((0, 1), repeat=discordant)]
    for better in range(discordant + 1):
        less_even = [w for w in ways if abs(w - discordant / 2) >= abs(better - discordant / 2)]
        assert exact_mcnemar(better, discordant - better) == pytest.approx(len(less_even) / len(ways))


def test_without_discordant_tasks_p_is_one() -> None:
    assert exact_mcnemar(0, 0) == 1


@given(st.integers(0, 400), st.integers(0, 400))
def test_p_is_symmetric_and_a_probability(better: int, worse: int) -> None:
    p = exact_mcnemar(better, worse)
    assert 0 <= p <= 1
    assert p == exact_mcnemar(worse, better)


def test_six_tasks_that_fall_one_way_are_the_least_that_is_significant() -> None:
    assert (exact_mcnemar(5, 0), exact_mcnemar(6, 0)) == (0.0625, 0.03125)
    assert (smallest_significant_share(5), smallest_significant_share(60)) == (None, 0.1)


def test_runs_are_compared_on_the_tasks_that_both_have() -> None:
    left = {f"t{n}": [float(n < 10)] for n in range(20)}
    right = {f"t{n}": [float(n < 15)] for n in range(1, 21)}
    found = compare(left, right)
    assert (found.tasks, found.only_left, found.only_right) == (19, ("t0",), ("t20",))
    assert (found.discordant, found.better, found.worse) == (5, 5, 0)
    assert (found.left, found.right, found.difference) == pytest.approx((9 / 19, 14 / 19, 5 / 19))
    assert found.p_value == 0.0625
    assert found.interval.low > 0
    assert not found.is_significant
    assert found.smallest_detectable == pytest.approx(6 / 19)


def test_many_tasks_that_fall_one_way_are_a_significant_difference() -> None:
    tasks = [f"t{n}" for n in range(100)]
    found = compare({task: [0.0] for task in tasks}, {task: [float(n < 30)] for n, task in enumerate(tasks)})
    assert found.is_significant
    assert found.smallest_detectable == pytest.approx(0.129, abs=0.001)


def test_values_between_0_and_1_have_no_mcnemar_but_an_interval() -> None:
    found = compare({"a": [0.2], "b": [0.4]}, {"a": [0.3], "b": [0.5]})
    assert found.p_value is None
    assert found.interval == pytest.approx(Interval(0.1, 0.1))
    assert found.is_significant


def test_trials_of_a_task_are_averaged_before_it_is_compared() -> None:
    found = compare({"a": [1, 0], "b": [1, 1]}, {"a": [1, 1], "b": [1, 1]})
    assert (found.difference, found.discordant, found.p_value) == (0.25, 1, None)


def test_runs_without_a_common_task_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="no task in common"):
        compare({"a": [1]}, {"b": [1]})
