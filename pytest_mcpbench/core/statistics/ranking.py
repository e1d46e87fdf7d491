"""Position of a model among others: rank by interval, relative cost."""

from collections.abc import Mapping

from pytest_mcpbench.core.statistics.intervals import Interval


def rank_upper_bound(intervals: Mapping[str, Interval]) -> dict[str, int]:
    """Return Rank (UB) of each model: 1 + number of models whose lower bound exceeds its upper bound (MCP-Atlas)."""
    return {
        model: 1 + sum(other.low > interval.high for other in intervals.values())
        for model, interval in intervals.items()
    }


def cre(tokens: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return each model's computational resource efficiency from its mean tokens per task (MCP-RADAR 4.2).

    (t_max - t) / (t_max - t_min): 1 is the cheapest of the models, 0 the dearest. It says nothing about one model
    alone: with fewer than two known values, or where a model's tokens are unknown, ``None``. Where all are equal, 1.
    """
    known = [value for value in tokens.values() if value is not None]
    if len(known) < 2:
        return dict.fromkeys(tokens)
    most, least = max(known), min(known)
    spread = most - least
    return {
        model: None if value is None else (most - value) / spread if spread else 1.0 for model, value in tokens.items()
    }
