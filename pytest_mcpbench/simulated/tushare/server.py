"""The Tushare server: the five tools of ``tushare_MCP`` (zhewenzhang) over invented companies.

Names, parameters and the form of the results are the real server's, except that its analysis of a statement is shorter.
The tree is ``{account: {token}}``; without a token, nothing can be asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import FASTMCP, Simulation, ToolFailure
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


_NOT_FOUND = "未找到符合条件的股票"
_REPORTS = {"1": "合并报表", "2": "单季合并", "6": "母公司报表"}
Code = Annotated[str, Field(description="股票代码，六位数字加交易所后缀")]


def setup_tushare_token(tushare: Tushare, token: Annotated[str, Field(description="Tushare 网站发放的密钥")]) -> Any:
    """保存访问密钥。"""
    tushare.set_token(token)
    return "Token配置成功！您现在可以使用Tushare的API功能了。"


def check_token_status(tushare: Tushare) -> Any:
    """查看是否已保存访问密钥。"""
    return "Token配置正常，可以使用Tushare API。" if tushare.has_token else "未配置Tushare token。"


def get_stock_basic_info(
    tushare: Tushare, ts_code: Code = "", name: Annotated[str, Field(description="股票全名")] = ""
) -> Any:
    """按代码或全名查询一只股票的地区、行业与上市日期。"""
    found = tushare.find(code=ts_code, name=name)
    return "\n".join(map(_facts, found)) or _NOT_FOUND


def search_stocks(tushare: Tushare, keyword: Annotated[str, Field(description="代码或名称中的几个字")]) -> Any:
    """按代码或名称的一部分查找股票。"""
    return "\n".join(f"{each.code} - {each.name}" for each in tushare.search(keyword)) or _NOT_FOUND


def get_income_statement(
    tushare: Tushare,
    ts_code: Code,
    start_date: Annotated[str, Field(description="报告期不早于，八位数字")] = "",
    end_date: Annotated[str, Field(description="报告期不晚于，八位数字")] = "",
    report_type: Annotated[str, Field(description="1 合并，2 单季，6 母公司")] = "1",
) -> Any:
    """查询一家公司各报告期的利润表，年初累计，单位亿元。"""
    statements = tushare.statements(ts_code, start_date, end_date)
    if not statements:
        return "未找到符合条件的利润表数据"
    (company,) = tushare.find(code=ts_code)
    title = f"我查询到了 {company.name}（{ts_code}）的{_REPORTS.get(report_type, '未知类型')}利润数据，如下呈现：\n\n"
    quarters = {"0331": "Q1", "0630": "Q2", "0930": "Q3", "1231": "Q4"}
    header = ["项目", *(f"{each.end[:4]}{quarters[each.end[4:]]}" for each in statements)]
    lines = [
        [name, *(f"{each.figures[name]:.2f}{'' if name == '每股收益' else '亿'}" for each in statements)]
        for name in statements[0].figures
    ]
    table = [" | ".join(header), "-" * 14 * len(header), *(" | ".join(line) for line in lines)]
    margin = 100 * statements[-1].figures["净利润"] / statements[-1].figures["营业总收入"]
    return title + "\n".join([*table, "", f"净利率：{margin:.2f}%"])


def _facts(company: ListedCompany) -> str:
    facts = {
        "股票代码": company.code,
        "股票名称": company.name,
        "所属地区": company.area,
        "所属行业": company.industry,
        "上市日期": company.listed,
        "市场类型": company.market,
    }
    return "\n".join([*(f"{label}: {value}" for label, value in facts.items()), "-" * 24])


SIMULATION = Simulation(
    name="Tushare Stock Info",
    state=Tushare,
    tools=(setup_tushare_token, check_token_status, get_stock_basic_info, search_stocks, get_income_statement),
    dialect=FASTMCP,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
