# ruff: noqa: N802, N803 (parameters are spelt as in the neighbouring servers)
"""The server of stocks, indices, industries and macroeconomic figures: thirteen tools."""

from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series, world
from pytest_mcpbench.simulated.wealth.types import FirstDay, IndexCode, LastDay, StockCode

_YEARS = (2025, 2024)
_LAST_MONTH = 2026 * 12
"""January 2026, counted in months."""


def SearchStocks(_world: None, keyword: Annotated[str, Field(description="公司名称、行业或代码里的词")]) -> Any:
    """搜索股票，由公司名称得到股票代码。"""
    matches = [
        each for each in rows.stocks().values() if world.has_words(keyword, f"{each.name}{each.industry}{each.code}")
    ]
    summaries = [{"stockCode": each.code, "stockName": each.name, "industry": each.industry} for each in matches]
    return {"stocks": summaries, "total": len(summaries)}


def GetStockQuotes(
    _world: None, stockCodes: Annotated[list[str], Field(description="股票代码列表", min_length=1)]
) -> Any:
    """最新收盘价、涨跌幅与总市值（亿元）。"""
    return world.facts_per_code("stockCode", stockCodes, _quote)


def GetStockKline(_world: None, stockCode: StockCode, startDate: FirstDay, endDate: LastDay) -> Any:
    """区间内每个交易日的收盘价与区间涨跌幅。"""
    begin, end = world.priced_span(startDate, endDate)
    prices = world.stock_prices(world.stock(stockCode).code)
    kline = [{"date": f"{day}", "close": price} for day, price in world.daily_prices(prices, begin, end)]
    return {"stockCode": stockCode, "kline": kline, "change": world.percent(series.growth(prices, begin, end))}


def GetFinancialStatement(
    _world: None, stockCode: StockCode, reportYear: Annotated[int, Field(description="财年，如 2025")]
) -> Any:
    """财年的营业收入、净利润、同比与研发费用，单位亿元。"""
    stock = world.stock(stockCode)
    if reportYear not in _YEARS:
        raise ToolFailure(f"没有 {reportYear} 财年的报表，可查 2024、2025")
    # Those of the year before the last are derived from the growth and have no growth themselves.
    if reportYear == _YEARS[0]:
        revenue_fields = {"revenue": stock.revenue, "revenueGrowth": stock.revenue_growth}
        profit = {"netProfit": stock.profit, "netProfitGrowth": stock.profit_growth}
        statement = {**revenue_fields, **profit, "researchExpense": round(stock.revenue * stock.research, 2)}
    else:
        revenue = round(stock.revenue / (1 + stock.revenue_growth / 100), 2)
        statement = {"revenue": revenue, "netProfit": round(stock.profit / (1 + stock.profit_growth / 100), 2)}
    return {"stockCode": stockCode, "stockName": stock.name, "reportYear": reportYear, **statement}


def GetStockValuation(_world: None, stockCode: StockCode) -> Any:
    """市盈率、市净率、股息率与一年内的价格百分位。"""
    stock = world.stock(stockCode)
    year = series.last_year(world.stock_prices(stock.code))
    place = sum(price <= stock.price for price in year) / len(year)
    ratios = {"pe": round(stock.price / stock.earnings, 2), "pb": round(stock.price / stock.book, 2)}
    return {"stockCode": stockCode, **ratios, "dividendYield": stock.dividend, "percentile": world.percent(place)}


def GetStockConsensus(_world: None, stockCode: StockCode) -> Any:
    """机构一致预期：评级家数、目标价与上涨空间、2026年每股收益预测。"""
    stock = world.stock(stockCode)
    found = next((cells[1:] for cells in rows.table("consensus") if cells[0] == stock.code), None)
    if found is None:
        raise ToolFailure(f"没有机构覆盖该股票: {stockCode}")
    buy, hold, sell, target, earnings = map(float, found)
    ratings = {"买入": int(buy), "中性": int(hold), "减持": int(sell)}
    prices = {"targetPrice": target, "upside": world.percent(target / stock.price - 1)}
    forecast = {"forecastEps": earnings, "forwardPe": round(stock.price / earnings, 2)}
    return {"stockCode": stockCode, "stockName": stock.name, "ratings": ratings, **prices, **forecast}


def GetTopShareholders(_world: None, stockCode: StockCode) -> Any:
    """持有这只股票的基金，按持股市值（亿元）由大到小。"""
    stock = world.stock(stockCode)
    holders = [(code, shares[stock.code]) for code, shares in rows.holdings().items() if stock.code in shares]
    summaries: list[dict[str, Any]] = []
    for code, share in holders:
        fund = world.fund(code)
        summaries.append(
            {"fundCode": code, "fundName": fund.name, "marketValue": round(fund.size * share / 100, 2), "ratio": share}
        )
    return {"stockCode": stockCode, "funds": sorted(summaries, key=lambda each: -each["marketValue"])}


def GetIndexQuotations(
    _world: None,
    indexCodes: Annotated[list[str] | None, Field(description="指数代码列表；不填为全部指数")] = None,
) -> Any:
    """指数最新点位、当日、近一月与近一年涨跌幅，附指数代码。"""
    return world.facts_per_code("indexCode", indexCodes or list(rows.indices()), _index_quote)


def GetIndexKline(_world: None, indexCode: IndexCode, startDate: FirstDay, endDate: LastDay) -> Any:
    """指数在区间内每个交易日的收盘点位与区间涨跌幅。"""
    begin, end = world.priced_span(startDate, endDate)
    prices = world.index_prices(world.index(indexCode).code)
    kline = [{"date": f"{day}", "close": level} for day, level in world.daily_prices(prices, begin, end)]
    return {"indexCode": indexCode, "kline": kline, "change": world.percent(series.growth(prices, begin, end))}


def GetIndexValuation(_world: None, indexCode: IndexCode) -> Any:
    """指数的市盈率、市净率、股息率与估值百分位。"""
    index = world.index(indexCode)
    if index.earnings is None:
        raise ToolFailure(f"该指数没有估值: {indexCode}")
    ratios = {"pe": index.earnings, "pb": index.book, "dividendYield": index.dividend}
    return {"indexCode": indexCode, "indexName": index.name, **ratios, "percentile": index.percentile}


def GetIndexConstituents(_world: None, indexCode: IndexCode) -> Any:
    """指数的主要成分股及权重。"""
    parts = world.index(indexCode).constituents.items()
    constituents = [
        {"stockCode": code, "stockName": world.stock(code).name, "weight": weight} for code, weight in parts
    ]
    return {"indexCode": indexCode, "constituents": constituents}


def GetIndustryRanking(
    _world: None, period: Annotated[Literal["近一月", "近三月", "近一年"], Field(description="统计区间")]
) -> Any:
    """行业涨跌幅排行，附各行业领涨股。"""
    first = days.months_before({"近一月": 1, "近三月": 3, "近一年": 12}[period])
    changes_by_industry: dict[str, list[tuple[float, str]]] = {}
    for stock in rows.stocks().values():
        changes_by_industry.setdefault(stock.industry, []).append(
            (series.growth(world.stock_prices(stock.code), first), stock.code)
        )
    ranked = sorted(changes_by_industry.items(), key=lambda pair: -fmean(change for change, _ in pair[1]))
    industries: list[dict[str, Any]] = []
    for name, changes in ranked:
        best, code = max(changes)
        leader = {"stockCode": code, "stockName": world.stock(code).name, "change": world.percent(best)}
        industries.append(
            {"industry": name, "change": world.percent(fmean(change for change, _ in changes)), "leader": leader}
        )
    return {"period": period, "industries": industries}


def GetMacroIndicator(
    _world: None,
    indicator: Annotated[Literal["CPI", "PPI", "PMI", "M2", "LPR1Y", "LPR5Y"], Field(description="指标代码")],
    months: Annotated[int, Field(description="最近几个月", ge=1, le=12)] = 1,
) -> Any:
    """宏观指标的月度值，旧的在前，截至2026年1月。"""
    _, name, unit, cell = next(cells for cells in rows.table("macro") if cells[0] == indicator)
    values = [float(value) for value in cell.split(",")][-months:]
    first = _LAST_MONTH - len(values) + 1
    monthly = [
        {"month": f"{(first + offset) // 12}-{(first + offset) % 12 + 1:02d}", "value": value}
        for offset, value in enumerate(values)
    ]
    return {"indicator": indicator, "name": name, "unit": unit, "values": monthly}


def _quote(code: str) -> dict[str, Any]:
    stock = world.stock(code)
    *_, before, last = world.stock_prices(code)
    facts = {"stockName": stock.name, "close": last, "changeRate": world.percent(last / before - 1)}
    return {**facts, "marketCap": round(last * stock.shares, 2), "date": f"{days.LAST_DAY}"}


def _index_quote(code: str) -> dict[str, Any]:
    index, prices = world.index(code), world.index_prices(world.index(code).code)
    spans = {"近一月": 1, "近一年": 12}
    changes = {name: world.percent(series.growth(prices, days.months_before(months))) for name, months in spans.items()}
    return {"indexName": index.name, "close": prices[-1], "当日": world.percent(prices[-1] / prices[-2] - 1), **changes}


SIMULATION = Simulation(
    name="wealth-stocks",
    state=lambda _world: None,
    tools=(
        SearchStocks,
        GetStockQuotes,
        GetStockKline,
        GetFinancialStatement,
        GetStockValuation,
        GetStockConsensus,
        GetTopShareholders,
        GetIndexQuotations,
        GetIndexKline,
        GetIndexValuation,
        GetIndexConstituents,
        GetIndustryRanking,
        GetMacroIndicator,
    ),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
