"""Companies with basic facts and quarterly income statements that follow from a seed.

The companies are invented. The tree is ``{account: {token}}``; without a token, nothing can be asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.engine.table import rows

_COMPANIES = Path(__file__).with_name("companies.txt")
_QUARTERS = tuple(f"{year}{end}" for year in (2023, 2024, 2025) for end in ("0331", "0630", "0930", "1231"))
_TOKEN_LENGTH = 56
_NO_TOKEN = "请先配置Tushare token"


@dataclass(frozen=True)
class ListedCompany:
    """A listed company; ``size`` is its revenue of a quarter in hundred million yuan."""

    code: str
    name: str
    area: str
    industry: str
    market: str
    listed: str
    size: float


@dataclass(frozen=True)
class Statement:
    """Income statement from the beginning of the year to a quarter's end, in hundred million yuan."""

    end: str
    figures: Mapping[str, float]


def seed() -> dict[str, Any]:
    """Return the account with a token."""
    return {"account": {"token": "5" * _TOKEN_LENGTH}}


def without_token() -> dict[str, Any]:
    """Return the account before a token was entered."""
    return {"account": {"token": ""}}


@cache
def companies() -> tuple[ListedCompany, ...]:
    """Return all companies."""
    return tuple(
        ListedCompany(code, name, area, industry, market, listed, float(size))
        for code, name, area, industry, market, listed, size in rows(_COMPANIES)
    )


class Tushare:
    """The account of one attempt."""

    def __init__(self, world: World) -> None:
        self.tree = world.tree(seed, seeds={"without_token": without_token})

    @property
    def has_token(self) -> bool:
        return bool(self.tree.get("account.token"))

    def set_token(self, token: str) -> None:
        """Store a token; raise :class:`ToolFailure` for one that cannot be right."""
        if len(token) != _TOKEN_LENGTH or not token.isalnum():
            raise ToolFailure("Token配置失败：您的token不对，请确认。")
        self.tree.update("account", {"token": token})

    def find(self, *, code: str = "", name: str = "") -> list[ListedCompany]:
        """Return the companies with exactly this code and name; an empty text matches all."""
        self._check_token()
        return [each for each in companies() if code in ("", each.code) and name in ("", each.name)]

    def search(self, keyword: str) -> list[ListedCompany]:
        """Return the companies with the keyword in their code or name, ignoring case."""
        self._check_token()
        return [each for each in companies() if keyword.casefold() in f"{each.code}\n{each.name}".casefold()]

    def statements(self, code: str, start: str, end: str) -> list[Statement]:
        """Return a company's statements with an end between two dates, oldest first."""
        self._check_token()
        found = [each for each in companies() if each.code == code]
        return [
            each for company in found for each in _statements(company) if (start or "0") <= each.end <= (end or "9")
        ]

    def _check_token(self) -> None:
        if not self.has_token:
            raise ToolFailure(_NO_TOKEN)


@cache
def _statements(company: ListedCompany) -> Sequence[Statement]:
    random = Random(f"tushare/{company.code}")
    statements: list[Statement] = []
    total: dict[str, float] = {}
    for number, end in enumerate(_QUARTERS):
        revenue = round(company.size * (1 + 0.02 * number) * random.uniform(0.85, 1.15), 2)
        cost = round(revenue * random.uniform(0.52, 0.7), 2)
        sales = round(revenue * random.uniform(0.05, 0.12), 2)
        administration = round(revenue * random.uniform(0.03, 0.08), 2)
        interest = round(revenue * random.uniform(0.002, 0.02), 2)
        operating = round(revenue - cost - sales - administration - interest, 2)
        income = round(operating * 0.85, 2)
        quarter = {
            "营业总收入": revenue,
            "营业成本": cost,
            "销售费用": sales,
            "管理费用": administration,
            "财务费用": interest,
            "营业利润": operating,
            "净利润": income,
            "每股收益": round(income / company.size / 4, 2),
        }
        total = quarter if end.endswith("0331") else {name: round(total[name] + quarter[name], 2) for name in quarter}
        statements.append(Statement(end, total))
    return statements
