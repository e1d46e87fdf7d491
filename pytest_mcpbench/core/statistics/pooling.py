"""Aggregates over tasks that are not plain means: pooled counts, shares above a threshold."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pytest_mcpbench.core.statistics.intervals import Interval, bootstrap_ratio
from pytest_mcpbench.core.tool_counts import ToolCounts

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
    shares = [_part_and_whole(metric, counts) for counts in counts_by_task]
    return bootstrap_ratio(shares) if any(whole for _, whole in shares) else None


def _part_and_whole(metric: str, counts: Sequence[Mapping[str, float]]) -> tuple[float, float]:
    """Return the numerator and the denominator that a task adds to the pooled share."""
    if metric not in _SHARE_OF_TOOLS:
        return sum(count["part"] for count in counts), sum(count["whole"] for count in counts)
    pool = ToolCounts.pool(counts)
    whole = {"precision": pool.called, "recall": pool.expected, "f1": pool.called + pool.expected}
    kind = _SHARE_OF_TOOLS[metric]
    return (2 * pool.hits if kind == "f1" else pool.hits), whole[kind]


def pass_rates(values: Iterable[float], thresholds: Iterable[float] = COVERAGE_THRESHOLDS) -> dict[float, float]:
    """Return threshold -> share of the values that reach it; empty without values."""
    kept = list(values)
    return {level: sum(value >= level - 1e-12 for value in kept) / len(kept) for level in thresholds} if kept else {}
