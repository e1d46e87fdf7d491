"""The Tushare server: the five tools of ``tushare_MCP`` (zhewenzhang) over invented companies.

Names, parameters and the form of the results are the real server's, except that its analysis of a statement is shorter.
"""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation
from pytest_mcpbench.simulated.tushare.world import ListedCompany, Tushare

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
