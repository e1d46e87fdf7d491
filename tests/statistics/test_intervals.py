import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.statistics import (
    bootstrap_mean,
    bootstrap_ratio,
    mean_interval,
    paired_shares,
    pass_rate_interval,
    wilson,
)


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


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("tasks", [1, 5, 30])
def test_equal_tasks_do_not_make_the_mean_certain(value: float, tasks: int) -> None:
    for low, high in (
        bootstrap_mean([[value]] * tasks),
        bootstrap_ratio([(value, 1.0)] * tasks),
        mean_interval([[value]] * tasks),
        pass_rate_interval({str(task): [True, False] for task in range(tasks)}),
    ):
        assert high - low > 0.05
    low, high = bootstrap_mean([[value]] * tasks)
    assert 0 <= low <= value <= high <= 1


def test_equal_passes_have_wilsons_interval_in_the_bootstrap_too() -> None:
    assert bootstrap_mean([[1.0]] * 30) == pytest.approx(wilson(30, 30))
    assert bootstrap_mean([[0.0]] * 30) == pytest.approx(wilson(0, 30))


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Newcombe 1998, Stat. Med. 17:2635, Table II, method 10: (e, f, g, h) with difference (f - g) / n.
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((36, 14, 0, 0), 0.1528, 0.4167),
        ((0, 0, 0, 50), -0.0713, 0.0713),
    ],
)
def test_the_interval_of_paired_shares_is_the_published_one(
    table: tuple[int, int, int, int], low: float, high: float
) -> None:
    assert paired_shares(*table) == pytest.approx((low, high), abs=5e-4)


@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_the_interval_of_paired_shares_has_a_width_and_holds_the_difference(table: tuple[int, int, int, int]) -> None:
    both, better, worse, neither = table
    low, high = paired_shares(*table)
    assert -1 <= low <= (better - worse) / sum(table) + 1e-12
    assert (better - worse) / sum(table) - 1e-12 <= high <= 1
    assert high - low > 0.01
    mirrored = paired_shares(both, worse, better, neither)
    assert (low, high) == pytest.approx((-mirrored.high, -mirrored.low))


def test_a_ratio_is_pooled_within_each_resample() -> None:
    low, high = bootstrap_ratio([(1, 2), (3, 4), (0, 0), (5, 5)] * 10)
    assert low < 9 / 11 < high <= 1


def test_nothing_cannot_be_resampled() -> None:
    with pytest.raises(ValueError, match="no task to resample"):
        bootstrap_mean([])


def test_a_pass_rate_uses_wilson_where_trials_agree_or_tasks_are_few_and_else_the_bootstrap() -> None:
    assert pass_rate_interval({"a": [True], "b": [False]}) == wilson(1, 2)
    assert pass_rate_interval({"a": [True, True], "b": [False, True]}) == wilson(1.5, 2)
    several = [[True, True], [False, True], [False, False]] * 4
    assert pass_rate_interval({f"t{n:02}": trials for n, trials in enumerate(several)}) == bootstrap_mean(several)
