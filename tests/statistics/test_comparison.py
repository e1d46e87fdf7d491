from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.statistics import compare, exact_mcnemar, sign_flip, smallest_significant_share


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


def test_many_tasks_that_fall_one_way_are_a_significant_difference() -> None:
    tasks = [f"t{n}" for n in range(100)]
    found = compare({task: [0.0] for task in tasks}, {task: [float(n < 30)] for n, task in enumerate(tasks)})
    assert found.is_significant
    assert found.smallest_detectable == pytest.approx(0.148, abs=0.001)


def test_scores_have_the_exact_test_of_their_signs() -> None:
    tasks = [f"t{n}" for n in range(8)]
    before = {task: [0.2] for task in tasks}
    found = compare(before, {task: [0.3 + n / 20] for n, task in enumerate(tasks)})
    assert found.p_value == 2 / 2**8
    assert found.is_significant


@pytest.mark.parametrize("tasks", range(1, 6))
def test_fewer_than_six_tasks_are_never_significant(tasks: int) -> None:
    for before, after in ((0.0, 1.0), (0.2, 0.7)):
        names = [f"t{n}" for n in range(tasks)]
        found = compare({name: [before] for name in names}, {name: [after] for name in names})
        assert found.p_value is None
        assert not found.is_significant
        assert found.smallest_detectable is None
        assert found.interval.high - found.interval.low > 0.1


def test_the_bootstrap_alone_makes_nothing_significant() -> None:
    """Five of thirty scores fall a little: the bootstrap excludes 0, but chance does that in 1 of 16 pairs of runs."""
    before = {f"t{n}": [0.5] for n in range(30)}
    found = compare(before, before | {f"t{n}": [0.4] for n in range(5)})
    assert found.interval.high < 0
    assert found.p_value == 2 / 2**5
    assert not found.is_significant


def test_equal_runs_have_an_interval() -> None:
    for value in (1.0, 0.5):
        same = {f"t{n}": [value] for n in range(20)}
        found = compare(same, same)
        assert found.interval.low < 0 < found.interval.high


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=14))
def test_the_test_of_signs_is_mcnemars_for_passes(differences: list[float]) -> None:
    assert sign_flip(differences) == pytest.approx(exact_mcnemar(differences.count(1), differences.count(-1)))


def test_drawn_signs_agree_with_all_signs() -> None:
    many = [0.3] * 12 + [-0.3] * 4 + [0.1] * 2
    sums = [sum(signs) for signs in product(*((one, -one) for one in many))]
    assert sign_flip(many) == pytest.approx(sum(abs(one) >= 2.6 - 1e-9 for one in sums) / len(sums), abs=0.003)
    assert sign_flip([1.0] * 40) == 1 / 20_001
    assert sign_flip([0.5] * 20 + [-0.5] * 20) == 1


def test_trials_of_a_task_are_averaged_before_it_is_compared() -> None:
    found = compare({"a": [1, 0], "b": [1, 1]}, {"a": [1, 1], "b": [1, 1]})
    assert (found.difference, found.discordant) == (0.25, 1)


def test_runs_without_a_common_task_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="no task in common"):
        compare({"a": [1]}, {"b": [1]})


@pytest.mark.parametrize(
    ("better", "same", "decided_by_one"),
    [(6, 0, True), (6, 200, True), (7, 0, False), (5, 0, False), (30, 10, False)],
)
def test_a_significant_difference_that_one_task_decides_says_so(better: int, same: int, decided_by_one: bool) -> None:
    before = {str(task): [0.0] for task in range(better + same)}
    after = {str(task): [float(task < better)] for task in range(better + same)}

    for found in (compare(before, after), compare(after, before)):
        assert found.is_decided_by_one_task is decided_by_one


def test_a_task_that_outweighs_the_others_decides_a_difference_of_scores() -> None:
    before = {str(task): [0.5] for task in range(7)}
    after = {str(task): [0.5 + change] for task, change in enumerate((0.4, 0.1, 0.1, 0.1, 0.1, 0.1, -0.05))}

    found = compare(before, after)
    assert found.p_value is not None
    assert found.p_without_one is not None
    assert found.p_value < found.p_without_one
