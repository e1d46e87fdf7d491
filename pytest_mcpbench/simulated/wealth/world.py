"""The invented market: look-up by code, and the value of everything on each day."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, TypeVar

from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series
from pytest_mcpbench.simulated.wealth.rows import Fund, IndexRow, Manager, Shares, Stock, Strategy
from pytest_mcpbench.simulated.wealth.series import Prices

Entity = TypeVar("Entity")


def fund(code: str) -> Fund:
    """Return the fund with the code; like the functions below, raise :class:`ToolFailure` for an unknown code."""
    return _lookup(rows.funds(), code, "基金")


def manager(code: str) -> Manager:
    """Return the manager with the id."""
    return _lookup(rows.managers(), code, "基金经理")


def stock(code: str) -> Stock:
    """Return the company with the code."""
    return _lookup(rows.stocks(), code, "股票")


def index(code: str) -> IndexRow:
    """Return the index with the code."""
    return _lookup(rows.indices(), code, "指数")


def strategy(code: str) -> Strategy:
    """Return the strategy with the code."""
    return _lookup(rows.strategies(), code, "策略")


def facts_per_code(key: str, codes: Sequence[str], facts: Callable[[str], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts for each code, with the code under ``key``; an unknown code has an error instead."""
    entries: list[dict[str, Any]] = []
    for code in codes:
        try:
            entries.append({key: code, **facts(code)})
        except ToolFailure as failure:
            entries.append({key: code, "error": str(failure)})
    return entries


@cache
def fund_prices(code: str) -> Prices:
    """Return the value of a share with dividends reinvested, starting at 1.

    An index fund follows its index; the share classes of a fund have the same prices.
    """
    entry = rows.funds()[code]
    if entry.category == "指数型":
        # ``share`` percent of its assets are in the index and the rest in cash.
        index_code, share = next(iter(entry.benchmark.items()))
        levels = index_prices(index_code)
        return tuple(round(1 + share / 100 * (level / levels[0] - 1), 4) for level in levels)
    shared = 0.0 if entry.volatility == 0 else min(0.1 + 0.8 * entry.stock / 100, 0.9)
    return series.prices(entry.name.rstrip("AC"), entry.drift, entry.volatility, shared)


@cache
def stock_prices(code: str) -> Prices:
    """Return the closing prices, which end at the price of the table."""
    entry = rows.stocks()[code]
    return _ending_at(entry.price, series.prices(code, entry.drift, entry.volatility, 0.6, digits=9))


@cache
def index_prices(code: str) -> Prices:
    """Return the closing levels, which end at the level of the table."""
    entry = rows.indices()[code]
    shared = 0.8 if entry.constituents else 0.05
    return _ending_at(entry.level, series.prices(code, entry.drift, entry.volatility, shared, digits=9))


def composition_prices(composition: Shares, first: date, last: date = days.LAST_DAY) -> list[float]:
    """Return the daily value of a portfolio of funds, bought on the first day and held, starting at 1."""
    return series.portfolio_values([(fund_prices(code), share) for code, share in composition.items()], first, last)


def day(text: str, name: str) -> date:
    """Parse the day in a tool's arguments; ``name`` is the parameter's name."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolFailure(f"参数 {name} 格式错误: {text}，应为 YYYY-MM-DD") from None


def span(first: str, last: str) -> tuple[date, date]:
    """Return the days from ``startDate`` to ``endDate``; the end must not be before the start."""
    begin, end = day(first, "startDate"), day(last, "endDate")
    if end < begin:
        raise ToolFailure(f"endDate {last} 早于 startDate {first}")
    return begin, end


def priced_span(first: str, last: str) -> tuple[date, date]:
    """Return the days like :func:`span`; the range must contain days with prices."""
    begin, end = span(first, last)
    if end < days.FIRST_DAY or begin > days.LAST_DAY:
        raise ToolFailure(f"该区间没有数据，可查 {days.FIRST_DAY} 至 {days.LAST_DAY}")
    return begin, end


def daily_prices(prices: Sequence[float], begin: date, end: date) -> list[tuple[date, float]]:
    """Return the trading days of a range with their prices."""
    return [(one, price) for one, price in zip(days.past(), prices, strict=True) if begin <= one <= end]


def has_words(keyword: str, text: str) -> bool:
    """Return whether the text contains each of the space-separated words."""
    return all(word in text.casefold() for word in keyword.casefold().split())


def percent(ratio: float) -> float:
    """Return a ratio in percent with two decimals."""
    return round(ratio * 100, 2)


def _lookup(table: Mapping[str, Entity], code: str, kind: str) -> Entity:
    if code not in table:
        raise ToolFailure(f"未找到该{kind}: {code}")
    return table[code]


def _ending_at(last: float, relative: Prices) -> Prices:
    return tuple(round(last * price / relative[-1], 2) for price in relative)
