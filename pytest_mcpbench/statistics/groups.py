"""Means of groups of attempts, each with every denominator."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from math import comb
from typing import Any, Literal, TypeVar

from pytest_mcpbench.statistics.intervals import Interval, bootstrap_ratio, mean_interval

# Counts of called, expected and matching tools, from which precision, recall and F1 follow (FinMCP-Bench 3.2).


@dataclass(frozen=True)
class ToolCounts:
    """``hits`` of the ``called`` tools were ``expected``; sums of several are pooled counts."""

    hits: float
    called: float
    expected: float

    @classmethod
    def of(cls, called: Counter[str], expected: Counter[str]) -> "ToolCounts":
        """Return counts of two multisets: hits = sum over tools of min(called, expected)."""
        return cls((called & expected).total(), called.total(), expected.total())

    @classmethod
    def pool(cls, counts: Iterable[Mapping[str, float]]) -> "ToolCounts":
        """Return the sum of :attr:`Score.counts` of many tasks; of none, all 0."""
        names = ("hits", "called", "expected")
        # A metric of the same name may count something else, in records of another version of it.
        kept = [count for count in counts if count.keys() >= {*names}]
        return cls(*(sum(count[name] for count in kept) for name in names))

    @property
    def precision(self) -> float:
        """Return the share of the calls that were expected; nothing called is right only if nothing was expected."""
        return self._share(self.called)

    @property
    def recall(self) -> float:
        """Return the share of the expected calls that were made; nothing expected is met only if nothing was called."""
        return self._share(self.expected)

    @property
    def f1(self) -> float:
        """Return harmonic mean of precision and recall: 2 hits / (called + expected)."""
        both = self.called + self.expected
        return 2 * self.hits / both if both else 1.0

    def as_mapping(self) -> dict[str, float]:
        return {"hits": self.hits, "called": self.called, "expected": self.expected}

    def _share(self, whole: float) -> float:
        if self.called == 0 and self.expected == 0:
            return 1.0
        return self.hits / whole if whole else 0.0


# Aggregates over tasks that are not plain means: pooled counts, shares above a threshold.

_SHARE_OF_TOOLS: Mapping[str, Literal["precision", "recall", "f1"]] = {
    "tool_precision": "precision",
    "tool_recall": "recall",
    "tool_f1": "f1",
    "tool_f1_turn": "f1",
}

COVERAGE_THRESHOLDS = (0.5, 0.75, 0.9)
"""Thresholds at which MCP-Atlas reports pass rates; 0.75 is that of its headline."""


def micro(metric: str, counts: Iterable[Mapping[str, float]]) -> float | None:
    """Return a metric's value over pooled counts (:attr:`Score.counts` of each task); ``None`` without counts.

    ``tool_*`` pool hits, called and expected, so that F1 is the harmonic mean of the pooled precision and recall;
    every other metric pools ``part`` and ``whole``.
    """
    kept = [count for count in counts if count]
    if metric in _SHARE_OF_TOOLS and all("hits" in count for count in kept):
        return float(getattr(ToolCounts.pool(kept), _SHARE_OF_TOOLS[metric])) if kept else None
    if not kept or not all("part" in count and "whole" in count for count in kept):
        return None
    whole = sum(count["whole"] for count in kept)
    return sum(count["part"] for count in kept) / whole if whole else None


def micro_interval(metric: str, counts_by_task: Iterable[Sequence[Mapping[str, float]]]) -> Interval | None:
    """Return the interval of :func:`micro` by resampling tasks, whose trials stay together; ``None`` without counts."""
    shares: list[tuple[float, float]] = []
    for trials in counts_by_task:
        counts = [count for count in trials if count]
        # A task without counts is not behind the value.
        if not counts:
            continue
        if metric in _SHARE_OF_TOOLS:
            kind, pool = _SHARE_OF_TOOLS[metric], ToolCounts.pool(counts)
            wholes = {"precision": pool.called, "recall": pool.expected, "f1": pool.called + pool.expected}
            shares.append((2 * pool.hits if kind == "f1" else pool.hits, wholes[kind]))
        else:
            shares.append((sum(count["part"] for count in counts), sum(count["whole"] for count in counts)))
    return bootstrap_ratio(shares) if any(whole for _, whole in shares) else None


def pass_rates(values: Iterable[float], thresholds: Iterable[float] = COVERAGE_THRESHOLDS) -> dict[float, float]:
    """Return threshold -> share of the values that reach it; empty without values."""
    kept = list(values)
    return {level: sum(value >= level - 1e-12 for value in kept) / len(kept) for level in thresholds} if kept else {}


Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class MetricValue:
    """Value of one metric in one attempt."""

    task: str
    value: float | None = None
    """``None``: the attempt is unscored or, where :attr:`is_error`, could not be made."""
    is_error: bool = False
    applies: bool = True
    """``False``: the task asks for nothing that the metric measures."""
    counts: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Aggregate:
    """A metric over attempts. Errors and unscored attempts are counted beside it, never in it."""

    macro: float | None
    """Mean over tasks of each task's mean over its trials; ``None`` if nothing has a value."""
    micro: float | None
    """Value of the pooled counts; ``None`` for a metric that pools none."""
    interval: Interval | None
    """Interval of :attr:`macro` (:func:`~pytest_mcpbench.statistics.intervals.mean_interval`); ``None`` if
    nothing has a value."""
    n: int
    """Number of attempts that have a value."""
    tasks: int
    """Number of tasks to which these attempts belong."""
    errors: int
    unscored: int
    not_applicable: int = 0
    """Number of attempts in which the metric has nothing to measure; the other numbers leave them out."""


def aggregate(metric: str, attempts: Iterable[MetricValue], *, level: float = 0.95, seed: int = 0) -> Aggregate:
    """Aggregate a metric over all attempts."""
    observed = list(attempts)
    kept = [one for one in observed if one.applies or one.is_error]
    scored = [one for one in kept if one.value is not None and not one.is_error]
    by_task = group_by(scored, lambda one: one.task)
    trials = [[one.value for one in by_task[task] if one.value is not None] for task in sorted(by_task)]
    errors = sum(one.is_error for one in kept)
    return Aggregate(
        macro=sum(sum(each) / len(each) for each in trials) / len(trials) if trials else None,
        micro=micro(metric, (one.counts for one in scored)),
        interval=mean_interval(trials, level=level, seed=seed) if trials else None,
        n=len(scored),
        tasks=len(by_task),
        errors=errors,
        unscored=len(kept) - errors - len(scored),
        not_applicable=len(observed) - len(kept),
    )


Item = TypeVar("Item")


def group_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return items by key, in the order in which the keys first appear; nothing is dropped."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def round_robin(groups: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """Yield the first item of each group, then the second ones of those that have one, and so on; none is ``None``."""
    return (item for item in chain.from_iterable(zip_longest(*groups)) if item is not None)


# Success in k trials of a task: at least once (pass@k), every time (pass^k).
#
# pass@k is the unbiased estimator of Chen et al. 2021 (arXiv 2107.03374, section 2.1), pass^k that of Yao et al. 2024
# (tau-bench, arXiv 2406.12045, section 2): among n trials of which c passed, the share of all sets of k trials that
# hold at least one pass, or only passes. Binomial coefficients are exact integers (:func:`math.comb`), so that no
# product of small numbers loses digits.

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
