"""Daily prices of everything that has one, drawn from a seed, and the figures that follow from a price series."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from functools import cache
from itertools import pairwise
from math import exp, sqrt
from random import Random
from statistics import correlation as pearson
from statistics import fmean, stdev

from pytest_mcpbench.simulated.wealth import days

Prices = tuple[float, ...]
"""A price for each day of :func:`days.past`."""

YEAR = 252
"""Trading days of a year, as figures a year are scaled."""

RISK_FREE = 0.015
"""Return a year that the Sharpe ratio subtracts."""


@cache
def _market() -> tuple[float, ...]:
    """What moves all prices together: one draw a day."""
    draw = Random("wealth/market/521")
    return tuple(draw.gauss(0, 1) for _ in days.past())


@cache
def prices(name: str, drift: float, volatility: float, shared: float, digits: int = 4) -> Prices:
    """A series that begins at 1; drift and volatility in percent a year, ``shared`` is its tie to the market."""
    draw = Random(f"wealth/{name}")
    level, made = 1.0, [1.0]
    own, daily = sqrt(1 - shared**2), volatility / 100 / sqrt(YEAR)
    for market in _market()[1:]:
        level *= exp(drift / 100 / YEAR - daily**2 / 2 + daily * (shared * market + own * draw.gauss(0, 1)))
        made.append(round(level, digits))
    return tuple(made)


def at(series: Sequence[float], day: date) -> float:
    """The price of a day: the last one on or before it, the first one before the series begins."""
    return series[position(day)]


def position(day: date) -> int:
    """Where in a series the last trading day on or before a day stands."""
    return max(bisect_right(days.past(), day) - 1, 0)


def growth(series: Sequence[float], first: date, last: date = days.LAST_DAY) -> float:
    """Return between two days, as a ratio."""
    return at(series, last) / at(series, first) - 1


def returns(series: Sequence[float]) -> list[float]:
    """The change of each day, as a ratio."""
    return [later / earlier - 1 for earlier, later in pairwise(series)]


def volatility(series: Sequence[float]) -> float:
    """Standard deviation of the daily returns, a year."""
    return stdev(returns(series)) * sqrt(YEAR)


def drawdown(series: Sequence[float]) -> float:
    """The largest fall from a high to a later low, as a positive ratio."""
    high, worst = series[0], 0.0
    for price in series:
        high = max(high, price)
        worst = max(worst, 1 - price / high)
    return worst


def sharpe(series: Sequence[float]) -> float:
    """Mean return a year above the risk-free one, over the volatility; 0 for a series that does not move."""
    spread = volatility(series)
    return (fmean(returns(series)) * YEAR - RISK_FREE) / spread if spread > 1e-4 else 0.0


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Pearson's coefficient of the daily returns."""
    return pearson(returns(one), returns(other))


def last_year(series: Sequence[float]) -> Sequence[float]:
    """The part of a series from a year before its end."""
    return series[position(days.months_before(12)) :]


def mixed(parts: Sequence[tuple[Sequence[float], float]], first: date, last: date) -> list[float]:
    """What shares of 100 in several series are worth each day, bought on the first and held, beginning at 1."""
    start, end = position(first), position(last) + 1
    return [sum(share / 100 * series[day] / series[start] for series, share in parts) for day in range(start, end)]
