# ruff: noqa: N802, N803 (names are the real server's)
"""The server of fund data: twenty-one tools, named as those of Qieman (盈米)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series, world
from pytest_mcpbench.simulated.wealth.rows import Fund
from pytest_mcpbench.simulated.wealth.types import FirstDay, FundCode, FundCodes, LastDay

Category = Literal["股票型", "混合型", "债券型", "货币型", "指数型", "QDII"]
Column = Literal["近一年收益", "基金规模", "成立日期", "七日年化收益率"]

PERIODS: Mapping[str, int] = MappingProxyType({"近一月": 1, "近三月": 3, "近六月": 6, "近一年": 12, "近两年": 24})
"""Name of a period -> months."""


def SearchFunds(
    _world: None,
    keyword: Annotated[str | None, Field(description="名称、公司或代码里的词，多个词用空格隔开")] = None,
    category: Annotated[Category | None, Field(description="只看这一类")] = None,
    sortColumn: Annotated[Column | None, Field(description="按哪一列排序；不填按代码")] = None,
    sortOrder: Annotated[Literal["升序", "降序"], Field(description="默认降序")] = "降序",
    size: Annotated[int, Field(description="最多返回几只", ge=1, le=50)] = 10,
) -> Any:
    """搜索基金：由名称得到代码，或筛选排序。"""
    matches = [
        each
        for each in rows.funds().values()
        if category in (None, each.category)
        and (keyword is None or world.has_words(keyword, f"{each.name} {each.company} {each.code}"))
    ]
    if sortColumn is not None:
        matches.sort(key=lambda each: _column(each, sortColumn), reverse=sortOrder == "降序")
    return {"funds": [_summary(each) for each in matches[:size]], "total": len(matches)}


def BatchGetFundsDetail(_world: None, fundCodes: FundCodes) -> Any:
    """基金档案：类型、公司、经理编号、规模、风险等级与运作费率。"""
    return world.facts_per_code("fundCode", fundCodes, _detail)


def BatchGetFundNavHistory(_world: None, fundCodes: FundCodes, startDate: FirstDay, endDate: LastDay) -> Any:
    """区间内每个交易日的复权净值。"""
    begin, end = world.priced_span(startDate, endDate)

    def navs(code: str) -> Mapping[str, Any]:
        prices = world.fund_prices(world.fund(code).code)
        return {"navs": [{"date": f"{day}", "nav": nav} for day, nav in world.daily_prices(prices, begin, end)]}

    return world.facts_per_code("fundCode", fundCodes, navs)


def GetBatchFundPerformance(_world: None, fundCodes: FundCodes) -> Any:
    """各阶段收益率，单位百分比。"""
    return world.facts_per_code(
        "fundCode", fundCodes, lambda code: {"fundName": world.fund(code).name, **_performance(code)}
    )


def AnalyzeFundRisk(_world: None, fundCode: FundCode) -> Any:
    """最近一年的波动率、最大回撤与夏普比率。"""
    prices = series.last_year(world.fund_prices(world.fund(fundCode).code))
    facts = {"annualVolatility": world.percent(series.volatility(prices))}
    facts["maxDrawdown"] = world.percent(series.drawdown(prices))
    return {"fundCode": fundCode, **facts, "sharpeRatio": round(series.sharpe(prices), 2)}


def getFundRecoveryAbility(_world: None, fundCode: FundCode) -> Any:
    """回撤修复：2024年以来跌得最深的一次，从何时跌到何时、多少天后收复。"""
    fall = series.deepest_fall(world.fund_prices(world.fund(fundCode).code))
    if fall is None:
        return {"fundCode": fundCode, "deepestFall": 0.0, "peakDate": None, "troughDate": None, **_NOT_RECOVERED}
    facts = {"fundCode": fundCode, "deepestFall": world.percent(fall.depth)}
    spans = {"peakDate": f"{fall.peak}", "troughDate": f"{fall.trough}"}
    if fall.recovery is None:
        return {**facts, **spans, **_NOT_RECOVERED}
    return {**facts, **spans, "recoveryDate": f"{fall.recovery}", "recoveryDays": (fall.recovery - fall.trough).days}


_NOT_RECOVERED = {"recoveryDate": None, "recoveryDays": None}


def BatchGetFundTradeRules(
    _world: None,
    fundCodes: FundCodes,
    op: Annotated[Literal["allot", "redeem"], Field(description="allot 申购，redeem 赎回")],
) -> Any:
    """申购费率与确认时间，或按持有天数的赎回费率与到账时间。"""
    return world.facts_per_code("fundCode", fundCodes, _allotment if op == "allot" else _redemption)


def CalculateFundTradeFee(
    _world: None,
    fundCode: FundCode,
    op: Annotated[Literal["allot", "redeem"], Field(description="allot 申购，redeem 赎回")],
    amount: Annotated[float, Field(description="交易金额，元", gt=0, le=1e9)],
    holdingDays: Annotated[int | None, Field(description="持有天数，赎回必填", ge=0)] = None,
) -> Any:
    """手续费试算：一笔交易扣多少手续费，扣后剩多少。"""
    if op == "redeem" and holdingDays is None:
        raise ToolFailure("赎回须填 holdingDays")
    if holdingDays is None or op == "allot":
        rate = world.fund(fundCode).buy_fee
    else:
        steps = _redemption(fundCode)["redeemFeeRates"]
        rates = (
            step["rate"] for step in steps if step["heldLessThanDays"] is None or holdingDays < step["heldLessThanDays"]
        )
        rate = float(next(rates))
    fee = round(amount - amount / (1 + rate / 100) if op == "allot" else amount * rate / 100, 2)
    return {"fundCode": fundCode, "op": op, "rate": rate, "fee": fee, "netAmount": round(amount - fee, 2)}


def BatchGetFundTradeLimit(_world: None, fundCodes: FundCodes) -> Any:
    """能否申购、起购金额与单日上限。"""
    return world.facts_per_code("fundCode", fundCodes, _limits)


def BatchGetFundsDividendRecord(_world: None, fundCodes: FundCodes) -> Any:
    """历次分红，每份派多少元。"""
    return world.facts_per_code("fundCode", fundCodes, _dividends)


def BatchGetFundsHolding(_world: None, fundCodes: FundCodes) -> Any:
    """前十大重仓股及占净值比例。"""
    return world.facts_per_code("fundCode", fundCodes, _top_holdings)


def getFundIndustryAllocation(_world: None, fundCode: FundCode) -> Any:
    """重仓股按行业汇总的占比。"""
    totals: dict[str, float] = {}
    for code, share in _holdings_of(fundCode).items():
        industry = world.stock(code).industry
        totals[industry] = totals.get(industry, 0) + share
    ordered = sorted(totals.items(), key=lambda pair: -pair[1])
    return {"fundCode": fundCode, "industries": [{"industry": name, "ratio": round(sum_, 2)} for name, sum_ in ordered]}


def GetFundAssetClassAnalysis(_world: None, fundCode: FundCode) -> Any:
    """股票、债券、现金与其他资产各占多少。"""
    fund = world.fund(fundCode)
    rest = round(max(100 - fund.stock - fund.bond - fund.cash, 0), 2)
    return {"fundCode": fundCode, "stock": fund.stock, "bond": fund.bond, "cash": fund.cash, "other": rest}


def getFundBenchmarkInfo(_world: None, fundCode: FundCode) -> Any:
    """业绩比较基准由哪些指数构成。"""
    parts = world.fund(fundCode).benchmark.items()
    benchmark = [{"indexCode": code, "indexName": world.index(code).name, "weight": weight} for code, weight in parts]
    return {"fundCode": fundCode, "benchmark": benchmark or "活期存款利率"}


def getFundTurnoverRate(_world: None, fundCode: FundCode) -> Any:
    """股票换手率，单位百分比/年。"""
    return {"fundCode": fundCode, "turnoverRate": world.fund(fundCode).turnover}


def getBondAllocationByFundCode(_world: None, fundCode: FundCode) -> Any:
    """券种分布，占净值比例。"""
    return {"fundCode": fundCode, "bondTypes": dict(rows.shares(_bonds_of(fundCode)[0]))}


def getBondFundCreditRatingLevel(_world: None, fundCode: FundCode) -> Any:
    """各信用等级的债券占净值多少。"""
    return {"fundCode": fundCode, "creditRatings": dict(rows.shares(_bonds_of(fundCode)[1]))}


def GetFundAnnouncements(_world: None, fundCode: FundCode) -> Any:
    """公告标题与编号，新的在前。"""
    matching_rows = [cells for cells in rows.table("announcements") if cells[1] == world.fund(fundCode).code]
    announcements = [{"announcementId": id_, "date": day, "title": title} for id_, _, day, title, _ in matching_rows]
    return {"fundCode": fundCode, "announcements": sorted(announcements, key=lambda each: each["date"], reverse=True)}


def GetAnnouncementContent(_world: None, announcementId: Annotated[str, Field(description="公告编号")]) -> Any:
    """按编号读公告正文。"""
    for id_, code, day, title, body in rows.table("announcements"):
        if id_ == announcementId:
            return {"announcementId": id_, "fundCode": code, "date": day, "title": title, "content": body}
    raise ToolFailure(f"未找到该公告: {announcementId}")


def GetFundManager(_world: None, managerId: Annotated[str, Field(description="基金经理编号，以 M 开头")]) -> Any:
    """基金经理的履历、风格与在管产品。"""
    manager = world.manager(managerId)
    funds_of_manager = [each for each in rows.funds().values() if each.manager == managerId]
    managed_funds = [{"fundCode": each.code, "fundName": each.name} for each in funds_of_manager]
    facts = {
        "managerId": managerId,
        "name": manager.name,
        "company": manager.company,
        "careerStart": f"{manager.since}",
    }
    return {**facts, "education": manager.education, "style": manager.style, "funds": managed_funds}


def GetPopularFund(_world: None) -> Any:
    """本平台近七天申购人数最多的五只。"""
    return {"funds": [{"rank": place, **_summary(world.fund(code))} for place, code in enumerate(_POPULAR, start=1)]}


_POPULAR = ("980208", "980313", "980210", "980405", "980110")


def _column(fund: Fund, column: Column) -> Any:
    if column == "近一年收益":
        return _performance(fund.code)["近一年"]
    if column == "七日年化收益率":
        return fund.drift if fund.category == "货币型" else float("-inf")
    return fund.size if column == "基金规模" else fund.founded


def _summary(fund: Fund) -> dict[str, Any]:
    facts = {"fundCode": fund.code, "fundName": fund.name, "fundInvestType": fund.category}
    year = {"status": fund.status, "setupDate": f"{fund.founded}", "returnYear": _performance(fund.code)["近一年"]}
    yearly = {"yearlyRoe": fund.drift} if fund.category == "货币型" else {}
    return {**facts, **year, "size": fund.size, **yearly, "url": f"https://wealth.example/funds/{fund.code}"}


def _detail(code: str) -> dict[str, Any]:
    fund = world.fund(code)
    identity = {"fundName": fund.name, "fundInvestType": fund.category, "company": fund.company}
    manager = {"managerId": fund.manager, "managerName": world.manager(fund.manager).name}
    facts = {"setupDate": f"{fund.founded}", "size": fund.size, "riskLevel": fund.risk}
    return {**identity, **manager, **facts, "managementFee": fund.management_fee, "status": fund.status}


def _performance(code: str) -> dict[str, float]:
    prices = world.fund_prices(world.fund(code).code)
    growth = {name: world.percent(series.growth(prices, days.months_before(n))) for name, n in PERIODS.items()}
    return growth | {"今年以来": world.percent(series.growth(prices, days.LAST_DAY.replace(day=1, month=1)))}


def _trade_rule(fund: Fund) -> tuple[str, ...]:
    return next(cells[1:] for cells in rows.table("rules") if cells[0] == fund.category)


def _allotment(code: str) -> dict[str, Any]:
    fund = world.fund(code)
    return {"allotFeeRate": fund.buy_fee, "confirmDays": int(_trade_rule(fund)[0])}


def _redemption(code: str) -> dict[str, Any]:
    _, arrival, ladder = _trade_rule(world.fund(code))
    steps = [step.split(":") for step in ladder.split(",")]
    rates = [{"heldLessThanDays": None if days_ == "-" else int(days_), "rate": float(rate)} for days_, rate in steps]
    return {"redeemFeeRates": rates, "arrivalDays": int(arrival)}


def _limits(code: str) -> dict[str, Any]:
    fund = world.fund(code)
    can_buy = fund.status in ("开放申购", "限制大额申购")
    return {"status": fund.status, "canBuy": can_buy, "minBuyAmount": fund.least, "maxBuyAmountPerDay": fund.most}


def _dividends(code: str) -> dict[str, Any]:
    matching_rows = [cells for cells in rows.table("dividends") if cells[0] == world.fund(code).code]
    return {"dividends": [{"date": day, "perShare": float(amount)} for _, day, amount in matching_rows]}


def _holdings_of(code: str) -> rows.Shares:
    """Return the stocks of a fund, empty for a fund without stocks; an unknown code raises :class:`ToolFailure`."""
    return rows.holdings().get(world.fund(code).code, {})


def _top_holdings(code: str) -> dict[str, Any]:
    holdings = _holdings_of(code).items()
    stocks = [{"stockCode": code, "stockName": world.stock(code).name, "ratio": ratio} for code, ratio in holdings]
    return {"reportDate": "2025-12-31", "stocks": stocks}


def _bonds_of(code: str) -> tuple[str, str]:
    matching_rows = [cells for cells in rows.table("bonds") if cells[0] == world.fund(code).code]
    if not matching_rows:
        raise ToolFailure(f"该基金没有债券持仓明细: {code}")
    return matching_rows[0][1], matching_rows[0][2]


SIMULATION = Simulation(
    name="wealth-funds",
    state=lambda _world: None,
    tools=(
        SearchFunds,
        BatchGetFundsDetail,
        BatchGetFundNavHistory,
        GetBatchFundPerformance,
        AnalyzeFundRisk,
        getFundRecoveryAbility,
        BatchGetFundTradeRules,
        CalculateFundTradeFee,
        BatchGetFundTradeLimit,
        BatchGetFundsDividendRecord,
        BatchGetFundsHolding,
        getFundIndustryAllocation,
        GetFundAssetClassAnalysis,
        getFundBenchmarkInfo,
        getFundTurnoverRate,
        getBondAllocationByFundCode,
        getBondFundCreditRatingLevel,
        GetFundAnnouncements,
        GetAnnouncementContent,
        GetFundManager,
        GetPopularFund,
    ),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
