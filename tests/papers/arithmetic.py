"""Averages in plain Python over raw records, which share nothing with the package."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

Json = dict[str, Any]


def made(records: Iterable[Json], **tags: str) -> list[Json]:
    """Return the records without errors that have these tags."""
    return [
        record
        for record in records
        if record["outcome"] != "error" and all(record["tags"].get(tag) == value for tag, value in tags.items())
    ]


def of_model(records: Iterable[Json], model: str) -> list[Json]:
    return [record for record in records if record["model"] == model]


def value(record: Json, metric: str, assumed: float | None = None) -> float | None:
    """Return a score, or the assumed one of an attempt that is unscored."""
    score = record["scorecard"]["scores"].get(metric)
    if score and score["value"] is None and score["applies"]:
        return assumed
    return score["value"] if score else None


def macro(records: Iterable[Json], read: Callable[[Json], float | None]) -> float | None:
    """Return the mean over tasks of the mean over the trials that have a value."""
    trials: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if (one := read(record)) is not None:
            trials[record["task_id"]].append(one)
    means = [sum(each) / len(each) for each in trials.values()]
    return sum(means) / len(means) if means else None


Expected = float | tuple[float, float] | None
"""A mean, or the means with every unscored attempt at 0 and at 1."""


def macro_of(records: Iterable[Json], metric: str) -> Expected:
    """Return the mean over tasks of the mean over trials, as far as the unscored attempts leave it known."""
    each = list(records)
    low, high = (macro(each, partial(value, metric=metric, assumed=assumed)) for assumed in (0.0, 1.0))
    return low if low == high or low is None or high is None else (low, high)


def flat_mean(records: Iterable[Json], metric: str) -> float:
    """Return the mean over attempts, which is wrong wherever tasks have different numbers of trials."""
    values = [one for record in records if (one := value(record, metric)) is not None]
    return sum(values) / len(values)


def pooled(records: Iterable[Json], metric: str, *names: str) -> list[float]:
    """Return the sums of counts over all attempts that have a value."""
    scores = [record["scorecard"]["scores"][metric] for record in records if value(record, metric) is not None]
    return [sum(score["counts"][name] for score in scores) for name in names]


def usage(record: Json, *names: str) -> float | None:
    """Return the sum of what the steps used; ``None`` if one does not know it."""
    each = [step["usage"][name] for step in record["run"]["trajectory"]["steps"] for name in names]
    return None if None in each else float(sum(each))
