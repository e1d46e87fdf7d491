"""Daily prices drawn from a seed, and the figures derived from a series of prices."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import accumulate, pairwise
from math import exp, sqrt
from random import Random
from statistics import correlation as pearson
from statistics import fmean, stdev

from pytest_mcpbench.simulated.wealth import days

Prices = tuple[float, ...]
"""One price per day of :func:`days.past`."""

YEAR = 252
"""Trading days per year, for annualised figures."""

RISK_FREE = 0.015
"""Annual return that is subtracted for the Sharpe ratio."""


@cache
def _market() -> tuple[float, ...]:
    """Return the market factor of all prices: one draw per day of :func:`days.moving`."""
    draw = Random("wealth/market/521")
    return tuple(draw.gauss(0, 1) for _ in days.moving())


@cache
def prices(name: str, drift: float, volatility: float, shared: float, digits: int = 4) -> Prices:
    """Return a series that starts at 1.

    Drift and volatility are in percent per year; ``shared`` is the correlation with the market.
    """
    draw = Random(f"wealth/{name}")
    level, levels = 1.0, [1.0]
    specific, daily = sqrt(1 - shared**2), volatility / 100 / sqrt(YEAR)
    for market in _market()[1:]:
        level *= exp(drift / 100 / YEAR - daily**2 / 2 + daily * (shared * market + specific * draw.gauss(0, 1)))
        levels.append(round(level, digits))
    return tuple(level for day, level in zip(days.moving(), levels, strict=True) if days.is_trading_day(day))


def at(series: Sequence[float], day: date) -> float:
    """Return the price of a day: the last one on or before it, or the first of the series."""
    return series[position(day)]


def position(day: date) -> int:
    """Return the position in a series of the last trading day on or before a day."""
    return max(bisect_right(days.past(), day) - 1, 0)


def growth(series: Sequence[float], first: date, last: date = days.LAST_DAY) -> float:
    """Return the growth between two days, as a ratio."""
    return at(series, last) / at(series, first) - 1


def returns(series: Sequence[float]) -> list[float]:
    """Return the change of each day, as a ratio."""
    return [later / earlier - 1 for earlier, later in pairwise(series)]


def volatility(series: Sequence[float]) -> float:
    """Return the annualised standard deviation of the daily returns."""
    return stdev(returns(series)) * sqrt(YEAR)


def drawdown(series: Sequence[float]) -> float:
    """Return the largest fall from a high to a later low, as a positive ratio."""
    high, worst = series[0], 0.0
    for price in series:
        high = max(high, price)
        worst = max(worst, 1 - price / high)
    return worst


@dataclass(frozen=True)
class Fall:
    """The largest fall of a series; ``recovery`` is the first later day at the old high, if any."""

    depth: float
    peak: date
    trough: date
    recovery: date | None


def deepest_fall(series: Prices) -> Fall | None:
    """Return the largest fall of a series of all days, or ``None`` for one that never falls."""
    highs = list(accumulate(series, max))
    falls = [1 - price / high for price, high in zip(series, highs, strict=True)]
    depth = max(falls)
    if depth == 0:
        return None
    trough = falls.index(depth)
    high, dates = highs[trough], days.past()
    recovery = next((day for day, price in zip(dates[trough:], series[trough:], strict=True) if price >= high), None)
    return Fall(depth, dates[series.index(high)], dates[trough], recovery)


def sharpe(series: Sequence[float]) -> float:
    """Return the annual mean return above the risk-free rate over the volatility, or 0 for a constant series."""
    spread = volatility(series)
    return (fmean(returns(series)) * YEAR - RISK_FREE) / spread if spread > 1e-4 else 0.0


def correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Pearson's coefficient of the daily returns."""
    return pearson(returns(one), returns(other))


def last_year(series: Sequence[float]) -> Sequence[float]:
    """Return the last year of a series."""
    return series[position(days.months_before(12)) :]


def portfolio_values(parts: Sequence[tuple[Sequence[float], float]], first: date, last: date) -> list[float]:
    """Return the daily value of a portfolio, bought on the first day and held, as a multiple of its price."""
    start, end = position(first), position(last) + 1
    return [sum(share / 100 * series[day] / series[start] for series, share in parts) for day in range(start, end)]
