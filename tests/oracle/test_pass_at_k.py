"""pass@k against its closed form and against drawing every set of k trials."""

from fractions import Fraction
from itertools import combinations
from math import factorial

import pytest

from pytest_mcpbench.statistics import pass_at_k, pass_hat_k


def _closed_form(n: int, c: int, k: int) -> float:
    """1 - product of (n - c - i) / (n - i) for i < k, in exact fractions: Chen et al. 2021, section 2.1."""
    product = Fraction(1)
    for i in range(k):
        product *= Fraction(max(n - c - i, 0), n - i)
    return float(1 - product)


def _hat(n: int, c: int, k: int) -> float:
    if c < k:
        return 0.0
    return float(Fraction(factorial(c) * factorial(n - k), factorial(c - k) * factorial(n)))


@pytest.mark.parametrize("n", [1, 2, 5, 10, 64, 200])
def test_the_estimators_equal_their_closed_forms(n: int) -> None:
    for c in range(0, n + 1, max(1, n // 13)):
        for k in range(1, n + 1, max(1, n // 7)):
            assert pass_at_k([(n, c)], k) == pytest.approx(_closed_form(n, c, k), abs=1e-12)
            assert pass_hat_k([(n, c)], k) == pytest.approx(_hat(n, c, k), abs=1e-12)


def test_a_mixed_set_of_tasks_equals_the_mean_over_every_draw() -> None:
    trials = {"a": [1, 0, 0, 0, 1], "b": [0, 0, 0], "c": [1, 1, 1, 1], "d": [0, 1]}
    counts = [(len(task), sum(task)) for task in trials.values()]
    draws = [[max(draw) for draw in combinations(task, 2)] for task in trials.values()]
    every = [[min(draw) for draw in combinations(task, 2)] for task in trials.values()]
    assert pass_at_k(counts, 2) == pytest.approx(sum(sum(d) / len(d) for d in draws) / len(draws))
    assert pass_hat_k(counts, 2) == pytest.approx(sum(sum(d) / len(d) for d in every) / len(every))


def test_five_trials_as_in_the_paper() -> None:
    assert [round(pass_at_k([(5, 2)], k), 4) for k in (1, 3, 5)] == [0.4, 0.9, 1.0]
