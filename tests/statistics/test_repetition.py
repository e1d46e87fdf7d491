from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.statistics import pass_at_k, pass_hat_k


@pytest.mark.parametrize("n", range(1, 7))
def test_both_are_what_counting_all_sets_of_k_trials_gives(n: int) -> None:
    for c in range(n + 1):
        trials = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            sets = list(combinations(trials, k))
            assert pass_at_k([(n, c)], k) == pytest.approx(sum(map(any, sets)) / len(sets))
            assert pass_hat_k([(n, c)], k) == pytest.approx(sum(map(all, sets)) / len(sets))


def test_tasks_may_have_different_numbers_of_trials() -> None:
    assert pass_at_k([(5, 1), (2, 2)], 2) == pytest.approx((0.4 + 1) / 2)


@pytest.mark.parametrize(
    ("trials", "k", "problem"),
    [
        ([(3, 1)], 4, "task 0 has 3 trials; k = 4 needs at least 4"),
        ([(1, 1), (0, 0)], 1, "task 1 has 0 trials; k = 1 needs at least 1"),
        ([(3, 1)], 0, "k is 0; it must be at least 1"),
        ([(3, 4)], 1, "task 0: 4 of 3 trials cannot have passed"),
        ([], 1, "there is no task"),
    ],
)
def test_what_cannot_be_estimated_is_an_error(trials: list[tuple[int, int]], k: int, problem: str) -> None:
    for estimate in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match=problem):
            estimate(trials, k)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_more_trials_help_pass_at_k_and_harm_pass_hat_k(case: tuple[int, int, int]) -> None:
    n, c, k = case
    share = c / n
    assert 0 <= pass_hat_k([(n, c)], k) <= share + 1e-12
    assert share - 1e-12 <= pass_at_k([(n, c)], k) <= 1
    assert pass_at_k([(n, c)], 1) == pytest.approx(share)
    assert pass_hat_k([(n, c)], 1) == pytest.approx(share)
    assert pass_at_k([(n, c)], k) == pytest.approx(1 - pass_hat_k([(n, n - c)], k))
