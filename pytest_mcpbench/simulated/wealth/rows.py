"""The tables of the invented market, as values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeVar

from pytest_mcpbench.simulated.engine.table import rows

Made = TypeVar("Made")
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
    return {cells[0]: _fund(cells) for cells in table("funds")}


@cache
def managers() -> Mapping[str, Manager]:
    """The managers by id."""
    made = (Manager(*cells[:3], date.fromisoformat(cells[3]), *cells[4:]) for cells in table("managers"))
    return {each.id: each for each in made}


@cache
def stocks() -> Mapping[str, Stock]:
    """The companies by code."""
    return {cells[0]: Stock(*cells[:3], *map(float, cells[3:])) for cells in table("stocks")}


@cache
def indices() -> Mapping[str, Index]:
    """The indices by code."""
    return {cells[0]: _index(cells) for cells in table("indices")}


@cache
def strategies() -> Mapping[str, Strategy]:
    """The strategies by code."""
    return {cells[0]: _strategy(cells) for cells in table("strategies")}


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


def _fund(cells: tuple[str, ...]) -> Fund:
    numbers = [float(cell) for cell in cells[9:18]]
    who = (*cells[:5], date.fromisoformat(cells[5]), float(cells[6]), int(cells[7]), shares(cells[8]))
    return Fund(*who, *numbers, cells[18], float(cells[19]))


def _index(cells: tuple[str, ...]) -> Index:
    return Index(*cells[:2], *map(float, cells[2:5]), *map(_if_any(float), cells[5:9]), shares(cells[9]))


def _strategy(cells: tuple[str, ...]) -> Strategy:
    code, name, kind, adviser, risk, holding, founded, fee, composition = cells
    day = date.fromisoformat(founded)
    return Strategy(code, name, kind, adviser, int(risk), holding, day, float(fee), shares(composition))


def _if_any(made: Callable[[str], Made]) -> Callable[[str], Made | None]:
    return lambda cell: None if cell == "-" else made(cell)
