"""The invented market: who is known by which code, and what everything is worth on each day."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, TypeVar

from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series
from pytest_mcpbench.simulated.wealth.rows import Fund, Index, Manager, Shares, Stock, Strategy
from pytest_mcpbench.simulated.wealth.series import Prices

Entity = TypeVar("Entity")


def fund(code: str) -> Fund:
    """The fund with the code; :class:`ToolFailure` where there is none, as with all that follow."""
    return _known(rows.funds(), code, "基金")


def manager(code: str) -> Manager:
    """The manager with the id."""
    return _known(rows.managers(), code, "基金经理")


def stock(code: str) -> Stock:
    """The company with the code."""
    return _known(rows.stocks(), code, "股票")


def index(code: str) -> Index:
    """The index with the code."""
    return _known(rows.indices(), code, "指数")


def strategy(code: str) -> Strategy:
    """The strategy with the code."""
    return _known(rows.strategies(), code, "策略")


def each(key: str, codes: Sequence[str], told: Callable[[str], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is told of each code under ``key``; of one that nobody knows, an error in its place."""
    return [_told(key, code, told) for code in codes]


@cache
def fund_prices(code: str) -> Prices:
    """Value of a share with all dividends put back, 1 at the beginning of the records.

    An index fund follows its index; the classes of a fund follow each other.
    """
    found = rows.funds()[code]
    if found.category == "指数型":
        return _following(*next(iter(found.benchmark.items())))
    shared = 0.0 if found.volatility == 0 else min(0.1 + 0.8 * found.stock / 100, 0.9)
    return series.prices(found.name.rstrip("AC"), found.drift, found.volatility, shared)


@cache
def stock_prices(code: str) -> Prices:
    """Closing prices, ending at the price of the table."""
    found = rows.stocks()[code]
    return _ending_at(found.price, series.prices(code, found.drift, found.volatility, 0.6, digits=9))


@cache
def index_prices(code: str) -> Prices:
    """Closing levels, ending at the level of the table."""
    found = rows.indices()[code]
    shared = 0.8 if found.constituents else 0.05
    return _ending_at(found.level, series.prices(code, found.drift, found.volatility, shared, digits=9))


def composition_prices(composition: Shares, first: date, last: date = days.LAST_DAY) -> list[float]:
    """What funds are worth together each day, bought on the first and held, beginning at 1."""
    return series.mixed([(fund_prices(code), share) for code, share in composition.items()], first, last)


def day(text: str, name: str) -> date:
    """A day as tools are given it; ``name`` is the parameter's."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolFailure(f"参数 {name} 格式错误: {text}，应为 YYYY-MM-DD") from None


def span(first: str, last: str) -> tuple[date, date]:
    """The days from ``startDate`` to ``endDate``, which may not be the earlier one."""
    begin, end = day(first, "startDate"), day(last, "endDate")
    if end < begin:
        raise ToolFailure(f"endDate {last} 早于 startDate {first}")
    return begin, end


def priced_span(first: str, last: str) -> tuple[date, date]:
    """As :func:`span`, where the records have prices."""
    begin, end = span(first, last)
    if end < days.FIRST_DAY or begin > days.LAST_DAY:
        raise ToolFailure(f"该区间没有数据，可查 {days.FIRST_DAY} 至 {days.LAST_DAY}")
    return begin, end


def quoted(prices: Sequence[float], begin: date, end: date) -> list[tuple[date, float]]:
    """The trading days of a range with their prices."""
    return [(one, price) for one, price in zip(days.past(), prices, strict=True) if begin <= one <= end]


def has_words(keyword: str, text: str) -> bool:
    """Whether each of the words, between spaces, stands in the text."""
    return all(word in text.casefold() for word in keyword.casefold().split())


def percent(ratio: float) -> float:
    """A ratio in percent with two decimals."""
    return round(ratio * 100, 2)


def _known(table: Mapping[str, Entity], code: str, kind: str) -> Entity:
    if code not in table:
        raise ToolFailure(f"未找到该{kind}: {code}")
    return table[code]


def _told(key: str, code: str, told: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
    try:
        return {key: code, **told(code)}
    except ToolFailure as failure:
        return {key: code, "error": str(failure)}


def _following(index: str, share: float) -> Prices:
    """A fund that has so many percent of its assets in an index, and the rest in cash."""
    levels = index_prices(index)
    return tuple(round(1 + share / 100 * (level / levels[0] - 1), 4) for level in levels)


def _ending_at(last: float, relative: Prices) -> Prices:
    return tuple(round(last * price / relative[-1], 2) for price in relative)
