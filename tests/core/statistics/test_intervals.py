import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.core.statistics import Interval, bootstrap_mean, bootstrap_ratio, pass_rate_interval, wilson


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [
        # Newcombe 1998, Stat. Med. 17:857, Table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(passed: int, n: int, low: float, high: float) -> None:
    assert wilson(passed, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_within_0_and_1(case: tuple[int, int]) -> None:
    passed, n = case
    low, high = wilson(passed, n)
    assert 0 <= low <= passed / n <= high <= 1
    mirrored = wilson(n - passed, n)
    assert (low, high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))


@pytest.mark.parametrize(("passed", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_a_share_that_cannot_be_has_no_interval(passed: int, n: int) -> None:
    with pytest.raises(ValueError, match=r"cannot have passed|share of nothing"):
        wilson(passed, n)


def test_the_bootstrap_agrees_with_the_normal_interval_of_many_tasks() -> None:
    values = [[float(n % 2)] for n in range(400)]
    assert bootstrap_mean(values) == pytest.approx((0.451, 0.549), abs=0.004)


def test_the_bootstrap_is_the_same_each_time_and_another_with_another_seed() -> None:
    values = [[n / 37] for n in range(37)]
    assert bootstrap_mean(values) == bootstrap_mean(values)
    assert bootstrap_mean(values) != bootstrap_mean(values, seed=1)


def test_trials_of_one_task_stay_together() -> None:
    ten_trials_each = [[1.0] * 10, [0.0] * 10, [1.0] * 10, [0.0] * 10]
    one_trial_each = [[1.0], [0.0], [1.0], [0.0]]
    assert bootstrap_mean(ten_trials_each) == bootstrap_mean(one_trial_each)


def test_a_single_task_and_equal_tasks_have_no_spread() -> None:
    assert bootstrap_mean([[0.25]]) == Interval(0.25, 0.25)
    assert bootstrap_mean([[1.0]] * 30) == Interval(1.0, 1.0)


def test_a_ratio_is_pooled_within_each_resample() -> None:
    low, high = bootstrap_ratio([(1, 2), (3, 4), (0, 0), (5, 5)] * 10)
    assert low < 9 / 11 < high <= 1


def test_nothing_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="no task to resample"):
        bootstrap_mean([])


def test_a_pass_rate_uses_wilson_with_one_trial_a_task_and_the_bootstrap_with_more() -> None:
    assert pass_rate_interval({"a": [True], "b": [False]}) == wilson(1, 2)
    several = {"a": [True, True], "b": [False, True]}
    assert pass_rate_interval(several) == bootstrap_mean([[True, True], [False, True]])
