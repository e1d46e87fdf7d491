"""The tables of the invented market, as typed values."""

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
    """A fund on sale; its prices are drawn from ``drift`` and ``volatility``."""

    code: str
    name: str
    category: str
    company: str
    manager: str
    founded: date
    size: float
    """In hundred millions."""
    risk: int
    benchmark: Shares
    drift: float
    volatility: float
    stock: float
    bond: float
    cash: float
    turnover: float
    buy_fee: float
    """In percent, after the platform's discount."""
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
    """A listed company; money is in hundred millions, growth and yield in percent."""

    code: str
    name: str
    industry: str
    price: float
    shares: float
    drift: float
    volatility: float
    earnings: float
    """Per share, in the last business year, as is the book value."""
    book: float
    revenue: float
    revenue_growth: float
    profit: float
    profit_growth: float
    dividend: float
    research: float
    """Research spending as a ratio of the revenue."""


@dataclass(frozen=True)
class IndexRow:
    """An index; fields that a bond or gold index lacks are ``None``."""

    code: str
    name: str
    level: float
    drift: float
    volatility: float
    earnings: float | None
    """Price-earnings ratio; ``book`` is the price-book ratio."""
    book: float | None
    dividend: float | None
    percentile: float | None
    constituents: Shares


@dataclass(frozen=True)
class Strategy:
    """A portfolio of funds that is managed by an adviser."""

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
class TextRow:
    """A text to read."""

    id: str
    kind: str
    words: str
    title: str
    body: str
    day: str = ""
    author: str = ""


def table(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells of a table."""
    return rows(Path(__file__).with_name("tables") / f"{name}.txt")


def shares(cell: str) -> Shares:
    """Parse ``code:percent`` pairs separated by commas; ``-`` means none."""
    pairs = (pair.split(":") for pair in cell.split(",") if ":" in pair)
    return {code: float(percent) for code, percent in pairs}


@cache
def funds() -> Mapping[str, Fund]:
    """Return the funds by code."""
    return {fund.code: fund for fund in _all(Fund, "funds")}


@cache
def managers() -> Mapping[str, Manager]:
    """Return the managers by id."""
    return {manager.id: manager for manager in _all(Manager, "managers")}


@cache
def stocks() -> Mapping[str, Stock]:
    """Return the companies by code."""
    return {stock.code: stock for stock in _all(Stock, "stocks")}


@cache
def indices() -> Mapping[str, IndexRow]:
    """Return the indices by code."""
    return {index.code: index for index in _all(IndexRow, "indices")}


@cache
def strategies() -> Mapping[str, Strategy]:
    """Return the strategies by code."""
    return {strategy.code: strategy for strategy in _all(Strategy, "strategies")}


@cache
def holdings() -> Mapping[str, Shares]:
    """Return fund -> its largest stocks with their percentage of its assets, largest first."""
    return {fund: shares(cell) for fund, cell in table("holdings")}


@cache
def news() -> tuple[TextRow, ...]:
    """Return news and managers' views, with their day and author."""
    return tuple(
        TextRow(id_, kind, words, title, body, day, author)
        for id_, kind, day, author, words, title, body in table("articles")
    )


@cache
def lessons() -> tuple[TextRow, ...]:
    """Return lessons for investors and the platform's own pages."""
    return tuple(TextRow(*cells) for cells in table("lessons"))


def _all(kind: type[Row], name: str) -> Iterator[Row]:
    """Yield the rows of a table; cells are in the order of the fields."""
    parsers = [_PARSERS[hint] for hint in get_type_hints(kind).values()]
    for cells in table(name):
        yield kind(*(parse(cell) for parse, cell in zip(parsers, cells, strict=True)))


def _number_if_any(cell: str) -> float | None:
    return None if cell == "-" else float(cell)


_PARSERS: Mapping[Any, Callable[[str], Any]] = MappingProxyType(
    {str: str, int: int, float: float, float | None: _number_if_any, date: date.fromisoformat, Shares: shares}
)
