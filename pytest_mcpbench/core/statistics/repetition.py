"""Success in k trials of a task: at least once (pass@k), every time (pass^k).

pass@k is the unbiased estimator of Chen et al. 2021 (arXiv 2107.03374, section 2.1), pass^k that of Yao et al. 2024
(tau-bench, arXiv 2406.12045, section 2): among n trials of which c passed, the share of all sets of k trials that hold
at least one pass, or only passes. Binomial coefficients are exact integers (:func:`math.comb`), so that no product of
small numbers loses digits.
"""

from collections.abc import Iterable
from math import comb

Trials = tuple[int, int]
"""Trials of one task as (n, c): n without errors, of which c passed."""


def pass_at_k(trials: Iterable[Trials], k: int) -> float:
    """Return the mean over tasks of 1 - C(n - c, k) / C(n, k). A task with fewer than k trials is an error, never 1."""
    return _mean([1 - comb(n - c, k) / comb(n, k) for n, c in _check_trials(trials, k)])


def pass_hat_k(trials: Iterable[Trials], k: int) -> float:
    """Return the mean over tasks of C(c, k) / C(n, k). A task with fewer than k trials is an error, never 0."""
    return _mean([comb(c, k) / comb(n, k) for n, c in _check_trials(trials, k)])


def _check_trials(trials: Iterable[Trials], k: int) -> list[Trials]:
    kept = list(trials)
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    if not kept:
        raise ValueError("there is no task; pass@k and pass^k are means over tasks")
    for position, (n, c) in enumerate(kept):
        if not 0 <= c <= n:
            raise ValueError(f"task {position}: {c} of {n} trials cannot have passed")
        if n < k:
            raise ValueError(f"task {position} has {n} trials; k = {k} needs at least {k}")
    return kept


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
