"""The tables of the invented market, as values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_type_hints

from pytest_mcpbench.simulated.engine.table import rows

Row = TypeVar("Row")
Shares = Mapping[str, float]
"""Code or name -> percent."""


@dataclass(frozen=True)
class Fund:
    """A fund on sale; ``drift`` and ``volatility`` are what its prices are drawn from."""

    code: str
    name: str
    category: str
    company: str
    manager: str
    founded: date
    size: float
    """Hundred millions."""
    risk: int
    benchmark: Shares
    drift: float
    volatility: float
    stock: float
    bond: float
    cash: float
    turnover: float
    buy_fee: float
    """Percent, after the discount of the platform."""
    least: float
    most: float
    status: str
    management_fee: float


@dataclass(frozen=True)
class Manager:
    """A fund manager."""

    id: str
    name: str
    company: str
    since: date
    education: str
    style: str


@dataclass(frozen=True)
class Stock:
    """A listed company; money in hundred millions, growth and yield in percent."""

    code: str
    name: str
    industry: str
    price: float
    shares: float
    drift: float
    volatility: float
    earnings: float
    """A share, in the last business year; so is the book value."""
    book: float
    revenue: float
    revenue_growth: float
    profit: float
    profit_growth: float
    dividend: float
    research: float
    """Spending on research, as a ratio of the revenue."""


@dataclass(frozen=True)
class Index:
    """An index; what a bond or gold index lacks is ``None``."""

    code: str
    name: str
    level: float
    drift: float
    volatility: float
    earnings: float | None
    """Price over earnings; ``book`` is price over book value."""
    book: float | None
    dividend: float | None
    percentile: float | None
    constituents: Shares


@dataclass(frozen=True)
class Strategy:
    """A portfolio of funds that an adviser looks after."""

    code: str
    name: str
    kind: str
    adviser: str
    risk: int
    holding: str
    founded: date
    fee: float
    composition: Shares


@dataclass(frozen=True)
class Text:
    """Something to read."""

    id: str
    kind: str
    words: str
    title: str
    body: str
    day: str = ""
    author: str = ""


def table(name: str) -> tuple[tuple[str, ...], ...]:
    """The cells of a table."""
    return rows(Path(__file__).with_name("tables") / f"{name}.txt")


def shares(cell: str) -> Shares:
    """``code:percent`` between commas; ``-`` is none."""
    pairs = (pair.split(":") for pair in cell.split(",") if ":" in pair)
    return {code: float(percent) for code, percent in pairs}


@cache
def funds() -> Mapping[str, Fund]:
    """The funds by code."""
    return {fund.code: fund for fund in _all(Fund, "funds")}


@cache
def managers() -> Mapping[str, Manager]:
    """The managers by id."""
    return {manager.id: manager for manager in _all(Manager, "managers")}


@cache
def stocks() -> Mapping[str, Stock]:
    """The companies by code."""
    return {stock.code: stock for stock in _all(Stock, "stocks")}


@cache
def indices() -> Mapping[str, Index]:
    """The indices by code."""
    return {index.code: index for index in _all(Index, "indices")}


@cache
def strategies() -> Mapping[str, Strategy]:
    """The strategies by code."""
    return {strategy.code: strategy for strategy in _all(Strategy, "strategies")}


@cache
def holdings() -> Mapping[str, Shares]:
    """Fund -> its largest stocks with their percent of its assets, the largest first."""
    return {fund: shares(cell) for fund, cell in table("holdings")}


@cache
def news() -> tuple[Text, ...]:
    """News and managers' views, with their day and author."""
    return tuple(
        Text(id_, kind, words, title, body, day, author)
        for id_, kind, day, author, words, title, body in table("articles")
    )


@cache
def lessons() -> tuple[Text, ...]:
    """Lessons for investors and the platform's own pages."""
    return tuple(Text(*cells) for cells in table("lessons"))


def _all(kind: type[Row], name: str) -> Iterator[Row]:
    """The rows of a table, their cells in the order of the fields."""
    read = [_READERS[hint] for hint in get_type_hints(kind).values()]
    for cells in table(name):
        yield kind(*(made(cell) for made, cell in zip(read, cells, strict=True)))


def _number_if_any(cell: str) -> float | None:
    return None if cell == "-" else float(cell)


_READERS: Mapping[Any, Callable[[str], Any]] = MappingProxyType(
    {str: str, int: int, float: float, float | None: _number_if_any, date: date.fromisoformat, Shares: shares}
)
