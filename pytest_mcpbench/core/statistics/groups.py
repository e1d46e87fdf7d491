"""Means of groups of attempts, each with every denominator."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pytest_mcpbench.core.statistics.intervals import Interval, mean_interval
from pytest_mcpbench.core.statistics.pooling import micro

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
    """Interval of :attr:`macro` (:func:`~pytest_mcpbench.core.statistics.intervals.mean_interval`); ``None`` if
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
