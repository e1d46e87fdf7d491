"""Error rates and power of comparisons, by simulation with fixed seeds.

Passes are drawn as 2 × 2 tables of (both, better, worse, neither) tasks; a comparison depends on nothing else.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy
import pytest

from pytest_mcpbench.statistics import Comparison, compare
from pytest_mcpbench.statistics.intervals import mean_interval

TABLES = 4_000
SCORES = 200

Table = tuple[int, int, int, int]


@cache
def comparison_of(table: Table) -> Comparison:
    values = [pair for pair, count in zip(((1, 1), (0, 1), (1, 0), (0, 0)), table, strict=True) for _ in range(count)]
    return compare(*({str(task): [pair[side]] for task, pair in enumerate(values)} for side in (0, 1)))


def tables(tasks: int, shares: Sequence[float], seed: int) -> list[tuple[Table, int]]:
    """Return the distinct tables of many simulated comparisons, each with the number of its comparisons."""
    drawn = numpy.random.default_rng(seed).multinomial(tasks, shares, size=TABLES)
    distinct, times = numpy.unique(drawn, axis=0, return_counts=True)
    found: list[tuple[Table, int]] = []
    for (both, better, worse, neither), count in zip(distinct.tolist(), times.tolist(), strict=True):
        found.append(((both, better, worse, neither), count))
    return found


def share_of_regressions(drawn: Sequence[tuple[Table, int]]) -> float:
    """Return the share of the comparisons that are significantly worse."""
    regressions = [times for table, times in drawn if is_regression(comparison_of(table))]
    return sum(regressions) / sum(times for _, times in drawn)


def is_regression(comparison: Comparison) -> bool:
    return comparison.is_significant and comparison.difference < 0


def shares(rate: float, changed: float, drop: float = 0.0) -> tuple[float, float, float, float]:
    """Return the probabilities of (both, better, worse, neither).

    ``changed`` tasks change by chance, evenly; then ``drop`` of all tasks, taken from those that would pass, fail.
    """
    kept = 1 - drop / rate
    before = (rate - changed / 2, changed / 2, changed / 2, 1 - rate - changed / 2)
    return before[0] * kept, before[1] * kept, before[2] + before[0] * (1 - kept), before[3] + before[1] * (1 - kept)


@pytest.mark.parametrize("tasks", [5, 12, 80])
@pytest.mark.parametrize(("rate", "changed"), [(0.5, 0.5), (0.5, 0.1), (0.9, 0.15)])
def test_at_most_one_in_forty_equal_runs_looks_like_a_regression(tasks: int, rate: float, changed: float) -> None:
    assert share_of_regressions(tables(tasks, shares(rate, changed), seed=tasks)) <= 0.025


@pytest.mark.parametrize("tasks", [20, 60])
@pytest.mark.parametrize(("rate", "changed"), [(0.5, 0.5), (0.7, 0.1), (0.9, 0.02), (0.9, 0.15)])
def test_four_of_five_comparisons_show_the_difference_called_detectable(
    tasks: int, rate: float, changed: float
) -> None:
    equal = tables(tasks, shares(rate, changed), seed=1)
    values = [(comparison_of(table).smallest_detectable, times) for table, times in equal]
    known = [(value, times) for value, times in values if value is not None]
    typical = numpy.repeat([value for value, _ in known], [times for _, times in known])
    drop = min(float(numpy.median(typical)), rate)
    power = share_of_regressions(tables(tasks, shares(rate, changed, drop), seed=2))
    assert power >= 0.8
    assert share_of_regressions(tables(tasks, shares(rate, changed, drop * 0.6), seed=3)) < 0.8


def scores_of(means: "numpy.ndarray", trials: int, seed: int) -> list[Mapping[str, Sequence[float]]]:
    """Return simulated runs: for each, task -> the outcomes of its trials."""
    random = numpy.random.default_rng(seed)
    drawn = random.random((SCORES, len(means), trials)) < means[None, :, None]
    return [{str(task): trial for task, trial in enumerate(run)} for run in drawn.astype(float).tolist()]


@pytest.mark.parametrize("tasks", [8, pytest.param(30, marks=pytest.mark.extra)])
def test_runs_with_trials_keep_the_same_error_rate_and_power(tasks: int) -> None:
    means = numpy.linspace(0.6, 1.0, tasks)
    before, again = scores_of(means, 3, seed=1), scores_of(means, 3, seed=2)
    equal = [compare(left, right, resamples=500) for left, right in zip(before, again, strict=True)]
    # 5 of 200 are 2.5 %; if the rate were exactly that, 10 or more would have a chance of 3 %.
    assert sum(map(is_regression, equal)) < 10
    drop = float(numpy.median([one.smallest_detectable or 1.0 for one in equal]))
    worse = scores_of(means * (1 - drop / means.mean()), 3, seed=3)
    found = [compare(left, right, resamples=500) for left, right in zip(before, worse, strict=True)]
    assert sum(map(is_regression, found)) / len(found) >= 0.8


@pytest.mark.parametrize("tasks", [2, 6, 20])
def test_the_interval_of_a_mean_holds_the_true_mean(tasks: int) -> None:
    scores = numpy.random.default_rng(tasks).beta(2, 1, size=(SCORES, tasks))
    intervals = [mean_interval([[value] for value in run], resamples=2_000) for run in scores.tolist()]
    assert sum(low <= 2 / 3 <= high for low, high in intervals) / SCORES >= 0.88
