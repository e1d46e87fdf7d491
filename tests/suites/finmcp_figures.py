# ruff: noqa: N803 (arguments have the names of the tools' parameters)
"""What the tools of the suite ``finmcp`` must answer, computed from the tables and the price series alone."""

import math
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from dateutil.relativedelta import relativedelta

import pytest_mcpbench.simulated.wealth as wealth
from pytest_mcpbench.simulated.wealth import days, world

LAST = date(2026, 2, 27)
Figures = Callable[..., Any]


def _table(name: str) -> list[list[str]]:
    text = Path(str(wealth.__file__)).with_name("tables").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.strip()]


def _row(name: str, code: str) -> list[str]:
    return next(cells for cells in _table(name) if cells[0] == code)


def _of(name: str, code: str, column: int = 0) -> list[list[str]]:
    return [cells for cells in _table(name) if cells[column] == code]


def _parts(cell: str) -> dict[str, float]:
    return {pair.partition(":")[0]: float(pair.partition(":")[2]) for pair in cell.split(",") if ":" in pair}


def _prices(code: str) -> "dict[date, float]":
    series = (
        world.fund_prices(code)
        if code.startswith("98")
        else world.index_prices(code)
        if code.startswith("IX")
        else world.stock_prices(code)
    )
    return dict(zip(days.past(), series, strict=True))


def _at(code: str, day: date) -> float:
    return max((one, price) for one, price in _prices(code).items() if one <= day)[1]


def _change(code: str, months: int) -> float:
    return 100 * (_at(code, LAST) / _at(code, LAST - relativedelta(months=months)) - 1)


def _curve(composition: Mapping[str, float], first: date, last: date) -> "np.ndarray[Any, Any]":
    begin = max((day for day in days.past() if day <= first), default=days.past()[0])
    end = max(day for day in days.past() if day <= last)
    held = {code: _prices(code) for code in composition}
    inside = [day for day in days.past() if begin <= day <= end]
    worth = [sum(share * held[code][day] / held[code][begin] for code, share in composition.items()) for day in inside]
    return np.array(worth) / 100


def _fall(curve: "np.ndarray[Any, Any]") -> float:
    return float(100 * np.max(1 - curve / np.maximum.accumulate(curve)))


def _swing(curve: "np.ndarray[Any, Any]") -> float:
    return float(100 * np.std(curve[1:] / curve[:-1] - 1, ddof=1) * math.sqrt(252))


def _year(composition: Mapping[str, float]) -> "np.ndarray[Any, Any]":
    return _curve(composition, LAST - relativedelta(years=1), LAST)


def _classes(composition: Mapping[str, float]) -> dict[str, float]:
    mix = {
        name: sum(float(_row("funds", code)[at]) * share / 100 for code, share in composition.items())
        for name, at in (("stock", 11), ("bond", 12), ("cash", 13))
    }
    return {**mix, "other": max(100 - sum(mix.values()), 0)}


def _composition(code: str) -> dict[str, float]:
    return _parts(_row("strategies", code)[8])


def _holdings(arguments: Mapping[str, Any]) -> dict[str, float]:
    return {each["fundCode"]: each["weight"] for each in arguments["holdings"]}


def search_funds(
    keyword: str = "", category: str = "", sortColumn: str = "", sortOrder: str = "降序", size: int = 10
) -> Any:
    found = [
        row
        for row in _table("funds")
        if category in ("", row[2]) and all(word in f"{row[1]} {row[3]}" for word in keyword.split())
    ]
    keys: dict[str, Figures] = {
        "近一年收益": lambda row: _change(row[0], 12),
        "基金规模": lambda row: float(row[6]),
        "七日年化收益率": lambda row: float(row[9]),
    }
    if sortColumn:
        found.sort(key=keys[sortColumn], reverse=sortOrder == "降序")
    return {
        "funds": [
            {"fundCode": row[0], "fundName": row[1], "size": float(row[6]), "returnYear": _change(row[0], 12)}
            for row in found[:size]
        ],
        "total": len(found),
    }


def detail(code: str) -> Any:
    row = _row("funds", code)
    return {
        "fundName": row[1],
        "company": row[3],
        "managerName": _row("managers", row[4])[1],
        "size": float(row[6]),
        "riskLevel": int(row[7]),
        "managementFee": float(row[19]),
    }


def performance(code: str) -> Any:
    spans = {"近一月": 1, "近三月": 3, "近六月": 6, "近一年": 12, "近两年": 24}
    year = 100 * (_at(code, LAST) / _at(code, date(2026, 1, 1)) - 1)
    return {name: _change(code, months) for name, months in spans.items()} | {"今年以来": year}


def fund_risk(fundCode: str) -> Any:
    curve = _year({fundCode: 100})
    changes = curve[1:] / curve[:-1] - 1
    ratio = (float(np.mean(changes)) * 252 - 0.015) / (_swing(curve) / 100)
    return {"annualVolatility": _swing(curve), "maxDrawdown": _fall(curve), "sharpeRatio": ratio}


def rules(code: str, op: str) -> Any:
    row = _row("funds", code)
    _, confirm, arrival, ladder = _row("rules", row[2])
    if op == "allot":
        return {"allotFeeRate": float(row[15]), "confirmDays": int(confirm)}
    return {
        "redeemFeeRates": [{"rate": float(step.split(":")[1])} for step in ladder.split(",")],
        "arrivalDays": int(arrival),
    }


def recovery(fundCode: str) -> Any:
    worth = np.array(list(_prices(fundCode).values()))
    below = 1 - worth / np.maximum.accumulate(worth)
    if not below.any():
        return {"deepestFall": 0.0, "peakDate": None, "troughDate": None, "recoveryDate": None}
    every, low = days.past(), int(below.argmax())
    high = int(worth[:low].argmax())
    back = next((at for at in range(low, len(worth)) if worth[at] >= worth[high]), None)
    until = {} if back is None else {"recoveryDays": (every[back] - every[low]).days}
    return {
        "deepestFall": float(100 * below[low]),
        "peakDate": f"{every[high]}",
        "troughDate": f"{every[low]}",
        "recoveryDate": None if back is None else f"{every[back]}",
        **until,
    }


def trade_fee(fundCode: str, op: str, amount: float, holdingDays: int = 0) -> Any:
    row = _row("funds", fundCode)
    if op == "allot":
        return {"fee": amount - amount / (1 + float(row[15]) / 100), "netAmount": amount / (1 + float(row[15]) / 100)}
    ladder = [step.split(":") for step in _row("rules", row[2])[3].split(",")]
    rate = next(float(rate) for limit, rate in ladder if limit == "-" or holdingDays < int(limit))
    return {"fee": amount * rate / 100, "netAmount": amount * (1 - rate / 100)}


def limits(code: str) -> Any:
    row = _row("funds", code)
    return {
        "status": row[18],
        "canBuy": row[18] not in ("封闭期", "暂停申购"),
        "minBuyAmount": float(row[16]),
        "maxBuyAmountPerDay": float(row[17]),
    }


def dividends(code: str) -> Any:
    return {"dividends": [{"date": day, "perShare": float(amount)} for _, day, amount in _of("dividends", code)]}


def _held(code: str) -> dict[str, float]:
    return _parts(_row("holdings", code)[1]) if _of("holdings", code) else {}


def holding(code: str) -> Any:
    return {
        "stocks": [
            {"stockCode": stock, "stockName": _row("stocks", stock)[1], "ratio": share}
            for stock, share in _held(code).items()
        ]
    }


def industries(fundCode: str) -> Any:
    totals: dict[str, float] = {}
    for stock, share in _held(fundCode).items():
        totals[_row("stocks", stock)[2]] = totals.get(_row("stocks", stock)[2], 0) + share
    return {
        "industries": [
            {"industry": name, "ratio": sum_} for name, sum_ in sorted(totals.items(), key=lambda pair: -pair[1])
        ]
    }


def announcements(fundCode: str) -> Any:
    own = sorted(_of("announcements", fundCode, 1), key=lambda row: row[2], reverse=True)
    return {"announcements": [{"announcementId": row[0], "date": row[2], "title": row[3]} for row in own]}


def manager(managerId: str) -> Any:
    row = _row("managers", managerId)
    return {
        "name": row[1],
        "careerStart": row[3],
        "education": row[4],
        "style": row[5],
        "funds": [{"fundCode": fund[0]} for fund in _of("funds", managerId, 4)],
    }


def strategies(keyword: str) -> Any:
    found = [row for row in _table("strategies") if keyword in " ".join(row[1:4])]
    return {
        "strategies": [{"strategyCode": row[0], "strategyName": row[1], "riskLevel": int(row[4])} for row in found],
        "total": len(found),
    }


def strategy(strategyCode: str) -> Any:
    row = _row("strategies", strategyCode)
    earned = 100 * (_year(_composition(strategyCode))[-1] - 1)
    return {
        "strategyName": row[1],
        "adviser": row[3],
        "recommendedHoldingDuration": row[5],
        "adviceFee": float(row[7]),
        "returnYear": earned,
    }


def strategy_navs(strategyCode: str, startDate: str, endDate: str) -> Any:
    curve = _curve(_composition(strategyCode), date.fromisoformat(startDate), date.fromisoformat(endDate))
    return {"navs": [{"nav": float(value)} for value in curve], "change": 100 * (curve[-1] - 1)}


def composition(code: str) -> Any:
    return {
        "funds": [
            {"fundCode": fund, "fundName": _row("funds", fund)[1], "weight": share}
            for fund, share in _composition(code).items()
        ]
    }


def strategy_risk(code: str) -> Any:
    curve = _year(_composition(code))
    return {
        "riskLevel": int(_row("strategies", code)[4]),
        "annualVolatility": _swing(curve),
        "maxDrawdown": _fall(curve),
    }


def rebalances(code: str) -> Any:
    return {"rebalances": [{"date": day, "reason": why} for _, day, _, why in _of("rebalances", code)]}


def related(fundCode: str) -> Any:
    found = [row for row in _table("strategies") if fundCode in _parts(row[8])]
    return {"strategies": [{"strategyCode": row[0], "weight": _parts(row[8])[fundCode]} for row in found]}


def correlations(fundCodes: list[str]) -> Any:
    changes = {code: (curve := _year({code: 100}))[1:] / curve[:-1] - 1 for code in fundCodes}
    pairs = [(one, other) for at, one in enumerate(fundCodes) for other in fundCodes[at + 1 :]]
    return {
        "pairs": [
            {"funds": list(pair), "correlation": float(np.corrcoef(changes[pair[0]], changes[pair[1]])[0, 1])}
            for pair in pairs
        ]
    }


def back_test(**arguments: Any) -> Any:
    span = (date.fromisoformat(arguments["startDate"]), date.fromisoformat(arguments["endDate"]))
    curve = _curve(_holdings(arguments), *span)
    return {"totalReturn": 100 * (curve[-1] - 1), "maxDrawdown": _fall(curve)}


def portfolio(**arguments: Any) -> Any:
    held = _holdings(arguments)
    level = math.ceil(sum(int(_row("funds", code)[7]) * share for code, share in held.items()) / 100)
    curve = _year(held)
    return {"riskLevel": level, "annualVolatility": _swing(curve), "maxDrawdown": _fall(curve), **_classes(held)}


def stocks(keyword: str) -> Any:
    found = [row for row in _table("stocks") if keyword in row[1] + row[2]]
    return {"stocks": [{"stockCode": row[0], "industry": row[2]} for row in found], "total": len(found)}


def quote(code: str) -> Any:
    row, (before, last) = _row("stocks", code), list(_prices(code).values())[-2:]
    return {
        "stockName": row[1],
        "close": float(row[3]),
        "changeRate": 100 * (last / before - 1),
        "marketCap": float(row[3]) * float(row[4]),
    }


def _between(code: str, arguments: Mapping[str, Any]) -> list[tuple[str, float]]:
    return [
        (f"{day}", price)
        for day, price in _prices(code).items()
        if arguments["startDate"] <= f"{day}" <= arguments["endDate"]
    ]


def kline(**arguments: Any) -> Any:
    code, (first, last) = (
        arguments.get("stockCode") or arguments["indexCode"],
        (date.fromisoformat(arguments[key]) for key in ("startDate", "endDate")),
    )
    listed = [{"date": day, "close": price} for day, price in _between(code, arguments)]
    return {"kline": listed, "change": 100 * (_at(code, last) / _at(code, first) - 1)}


def navs(code: str, **arguments: Any) -> Any:
    return {"navs": [{"date": day, "nav": price} for day, price in _between(code, arguments)]}


def statement(stockCode: str, reportYear: int) -> Any:
    revenue, growth, profit, profit_growth, _, research = map(float, _row("stocks", stockCode)[9:15])
    if reportYear == 2025:
        return {
            "revenue": revenue,
            "revenueGrowth": growth,
            "netProfit": profit,
            "netProfitGrowth": profit_growth,
            "researchExpense": revenue * research,
        }
    return {"revenue": revenue / (1 + growth / 100), "netProfit": profit / (1 + profit_growth / 100)}


def valuation(stockCode: str) -> Any:
    row = _row("stocks", stockCode)
    year = [price for day, price in _prices(stockCode).items() if day >= LAST - relativedelta(years=1)]
    place = 100 * sum(price <= float(row[3]) for price in year) / len(year)
    return {
        "pe": float(row[3]) / float(row[7]),
        "pb": float(row[3]) / float(row[8]),
        "dividendYield": float(row[13]),
        "percentile": place,
    }


def consensus(stockCode: str) -> Any:
    buy, hold, sell, target, earned = map(float, _row("consensus", stockCode)[1:])
    price = float(_row("stocks", stockCode)[3])
    return {
        "ratings": {"买入": buy, "中性": hold, "减持": sell},
        "targetPrice": target,
        "upside": 100 * (target - price) / price,
        "forecastEps": earned,
        "forwardPe": price / earned,
    }


def shareholders(stockCode: str) -> Any:
    held = {fund: _parts(cell).get(stockCode) for fund, cell in _table("holdings")}
    worth = {fund: float(_row("funds", fund)[6]) * share / 100 for fund, share in held.items() if share}
    return {
        "funds": [
            {"fundCode": fund, "marketValue": value} for fund, value in sorted(worth.items(), key=lambda pair: -pair[1])
        ]
    }


def index_quote(code: str) -> Any:
    before, last = list(_prices(code).values())[-2:]
    return {
        "indexName": _row("indices", code)[1],
        "close": float(_row("indices", code)[2]),
        "当日": 100 * (last / before - 1),
        "近一月": _change(code, 1),
        "近一年": _change(code, 12),
    }


def index_valuation(indexCode: str) -> Any:
    row = _row("indices", indexCode)
    return {
        "indexName": row[1],
        "pe": float(row[5]),
        "pb": float(row[6]),
        "dividendYield": float(row[7]),
        "percentile": float(row[8]),
    }


def ranking(period: str) -> Any:
    months = {"近一月": 1, "近三月": 3, "近一年": 12}[period]
    moved: dict[str, list[tuple[float, str]]] = {}
    for row in _table("stocks"):
        moved.setdefault(row[2], []).append((_change(row[0], months), row[0]))
    means = sorted(
        ((sum(change for change, _ in each) / len(each), name) for name, each in moved.items()), reverse=True
    )
    return {
        "industries": [
            {
                "industry": name,
                "change": mean,
                "leader": {"stockCode": max(moved[name])[1], "change": max(moved[name])[0]},
            }
            for mean, name in means
        ]
    }


def macro(indicator: str, months: int = 1) -> Any:
    values = _row("macro", indicator)[3].split(",")
    newest = date(2026, 1, 1)
    return {
        "values": [
            {"month": f"{newest - relativedelta(months=months - 1 - at):%Y-%m}", "value": float(value)}
            for at, value in enumerate(values[-months:])
        ]
    }


def _positions(user: str, day: date) -> list[tuple[str, str, float, float]]:
    """Kind, code, cost and worth on a day of what the account held by then. Accounts are kept in cents."""
    made = []
    for _, kind, code, amount, since in _of("accounts", user):
        if kind == "fund":
            made.append((kind, code, float(amount) * float(since), float(amount) * _at(code, day)))
        elif date.fromisoformat(since) <= day:
            curve = _curve(_composition(code), date.fromisoformat(since), day)
            made.append((kind, code, float(amount), float(amount) * curve[-1]))
    return made


def _day_before(day: date) -> date:
    return max(one for one in days.past() if one < day)


def _earned(user: str, day: date) -> float:
    before = {code: worth for _, code, _, worth in _positions(user, _day_before(day))}
    return sum(round(worth - before[code], 2) for _, code, _, worth in _positions(user, day) if code in before)


def brief(userId: str) -> Any:
    held = _positions(userId, LAST)
    total, cost = sum(round(each[3], 2) for each in held), sum(each[2] for each in held)
    return {
        "totalAsset": total,
        "accumulatedProfit": total - cost,
        "accumulatedProfitRate": 100 * (total / cost - 1),
        "latestDailyProfit": _earned(userId, LAST),
    }


def view(userId: str) -> Any:
    held = _positions(userId, LAST)
    return {
        f"{name}": [
            {"code": code, "value": worth, "profit": worth - cost} for kind, code, cost, worth in held if kind == wanted
        ]
        for name, wanted in (("strategies", "strategy"), ("funds", "fund"))
    }


def latest_profit(userId: str) -> Any:
    before = {code: worth for _, code, _, worth in _positions(userId, _day_before(LAST))}
    return [
        {"fundCode": code, "dailyProfit": worth - before[code]}
        for kind, code, _, worth in _positions(userId, LAST)
        if kind == "fund"
    ]


def calendar(userId: str, month: str) -> Any:
    inside = [day for day in days.past() if f"{day:%Y-%m}" == month]
    return {"total": sum(_earned(userId, day) for day in inside), "days": [{"date": f"{day}"} for day in inside]}


def trades(userId: str) -> Any:
    own = sorted(_of("trades", userId), key=lambda row: row[2], reverse=True)
    return {
        "trades": [
            {
                "tradeId": row[1],
                "date": row[2],
                "type": row[3],
                "fundCode": row[4],
                "amount": float(row[5]),
                "fee": float(row[6]),
                "status": row[7],
                "completionDate": row[8],
            }
            for row in own
        ]
    }


def regular_plans(userId: str) -> Any:
    names = ("planId", "fundCode", "amount", "cycle", "status", "startDate", "nextDate")
    own = [dict(zip(names, row[1:], strict=True)) for row in _of("regular_plans", userId)]
    return {
        "plans": [
            {**each, "amount": float(each["amount"]), "nextDate": None if each["nextDate"] == "-" else each["nextDate"]}
            for each in own
        ]
    }


def assessment(userId: str) -> Any:
    _, kind, level, day = _row("assessments", userId)
    until = date.fromisoformat(day) + relativedelta(years=1)
    return {"riskType": kind, "maxRiskLevel": int(level), "assessmentDate": day, "validUntil": f"{until}"}


def plan(expectedAnnualizedReturnRate: float, expectedDrawdown: float) -> Any:
    row = next(
        row
        for row in _table("plans")
        if float(row[1]) >= expectedAnnualizedReturnRate and float(row[2]) <= expectedDrawdown
    )
    return {
        "plan": row[0],
        "allocation": dict(zip(("stock", "bond", "cash", "other"), map(float, row[3:7]), strict=True)),
        "strategyCode": row[7],
    }


def _saved(months: int, rate: float) -> float:
    return sum((1 + rate / 1200) ** later for later in range(months))


def regular(monthlyAmount: float, months: int, annualReturnRate: float) -> Any:
    return {"principal": monthlyAmount * months, "finalValue": monthlyAmount * _saved(months, annualReturnRate)}


def goal(targetAmount: float, months: int, annualReturnRate: float) -> Any:
    return {"monthlyAmount": targetAmount / _saved(months, annualReturnRate)}


def cash_flow(monthlyIncome: float, monthlyExpense: float, monthlyDebt: float) -> Any:
    left = monthlyIncome - monthlyExpense - monthlyDebt
    return {
        "surplus": left,
        "savingRate": 100 * left / monthlyIncome,
        "debtRatio": 100 * monthlyDebt / monthlyIncome,
        "emergencyFund": 6 * (monthlyExpense + monthlyDebt),
    }


def balance(liquidAssets: float, investedAssets: float, realEstate: float, liabilities: float) -> Any:
    total = liquidAssets + investedAssets + realEstate
    return {
        "totalAssets": total,
        "netAssets": total - liabilities,
        "liabilityRatio": 100 * liabilities / total,
        "investmentRatio": 100 * investedAssets / total,
    }


def _texts(table: str, kind: str, keyword: str) -> list[list[str]]:
    of_kind = [row for row in _table(table) if kind in ("", row[1])]
    return [row for row in of_kind if all(word in " ".join(row[2:]) for word in keyword.split())]


def news(keyword: str) -> Any:
    found = _texts("articles", "新闻", keyword)
    return {"items": [{"newsId": row[0], "title": row[5]} for row in found], "total": len(found)}


def viewpoints(keyword: str) -> Any:
    return {
        "items": [
            {"manager": row[3], "title": row[5], "content": row[6]} for row in _texts("articles", "观点", keyword)
        ]
    }


def lessons(keyword: str) -> Any:
    return {"items": [{"id": row[0], "title": row[3], "content": row[4]} for row in _texts("lessons", "", keyword)]}


def events(startDate: str, endDate: str, region: str = "") -> Any:
    inside = [row for row in _table("events") if startDate <= row[0] <= endDate and region in ("", row[2])]
    return {"events": [{"date": row[0], "event": row[3], "previous": row[4], "forecast": row[5]} for row in inside]}


def trading_days(startDate: str, endDate: str) -> Any:
    first, last = date.fromisoformat(startDate), date.fromisoformat(endDate)
    holidays = ((1, 1, 3), (2, 16, 8), (4, 6, 1), (5, 1, 5), (6, 19, 1), (9, 25, 1), (10, 1, 7))
    closed = {date(2026, month, day) + timedelta(days=at) for month, day, count in holidays for at in range(count)}
    every = (first + timedelta(days=at) for at in range((last - first).days + 1))
    found = [f"{day}" for day in every if day.weekday() < 5 and day not in closed]
    return {"txnDays": found, "total": len(found)}


def _each(key: str, codes: str, told: Figures) -> Figures:
    def listed(**arguments: Any) -> Any:
        rest = {name: value for name, value in arguments.items() if name != codes}
        return [
            {key: code, **told(code, **rest)} for code in arguments.get(codes) or [row[0] for row in _table("indices")]
        ]

    return listed


FIGURES: Mapping[str, Figures] = {
    "SearchFunds": search_funds,
    "BatchGetFundsDetail": _each("fundCode", "fundCodes", detail),
    "BatchGetFundNavHistory": _each("fundCode", "fundCodes", navs),
    "GetBatchFundPerformance": _each("fundCode", "fundCodes", performance),
    "AnalyzeFundRisk": fund_risk,
    "getFundRecoveryAbility": recovery,
    "CalculateFundTradeFee": trade_fee,
    "BatchGetFundTradeRules": _each("fundCode", "fundCodes", rules),
    "BatchGetFundTradeLimit": _each("fundCode", "fundCodes", limits),
    "BatchGetFundsDividendRecord": _each("fundCode", "fundCodes", dividends),
    "BatchGetFundsHolding": _each("fundCode", "fundCodes", holding),
    "getFundIndustryAllocation": industries,
    "GetFundAssetClassAnalysis": lambda fundCode: _classes({fundCode: 100}),
    "getFundBenchmarkInfo": lambda fundCode: {
        "benchmark": [
            {"indexCode": code, "weight": share} for code, share in _parts(_row("funds", fundCode)[8]).items()
        ]
    },
    "getFundTurnoverRate": lambda fundCode: {"turnoverRate": float(_row("funds", fundCode)[14])},
    "getBondAllocationByFundCode": lambda fundCode: {"bondTypes": _parts(_row("bonds", fundCode)[1])},
    "getBondFundCreditRatingLevel": lambda fundCode: {"creditRatings": _parts(_row("bonds", fundCode)[2])},
    "GetFundAnnouncements": announcements,
    "GetAnnouncementContent": lambda announcementId: {"content": _row("announcements", announcementId)[4]},
    "GetFundManager": manager,
    "GetPopularFund": lambda: {
        "funds": [
            {"rank": at, "fundCode": code}
            for at, code in enumerate(("980208", "980313", "980210", "980405", "980110"), start=1)
        ]
    },
    "StrategySearchByKeyword": strategies,
    "GetStrategyDetails": strategy,
    "GetStrategyNavHistory": strategy_navs,
    "BatchGetStrategiesComposition": _each("strategyCode", "strategyCodes", composition),
    "BatchGetStrategyRiskInfo": _each("strategyCode", "strategyCodes", strategy_risk),
    "GetStrategyAssetClassAnalysis": lambda strategyCode: _classes(_composition(strategyCode)),
    "BatchGetPoTradeComposition": _each("strategyCode", "strategyCodes", rebalances),
    "GetFundRelatedStrategies": related,
    "GetFundsCorrelation": correlations,
    "GetFundsBackTest": back_test,
    "AnalyzePortfolioRisk": portfolio,
    "SearchStocks": stocks,
    "GetStockQuotes": _each("stockCode", "stockCodes", quote),
    "GetStockKline": kline,
    "GetFinancialStatement": statement,
    "GetStockValuation": valuation,
    "GetStockConsensus": consensus,
    "GetTopShareholders": shareholders,
    "GetIndexQuotations": _each("indexCode", "indexCodes", index_quote),
    "GetIndexKline": kline,
    "GetIndexValuation": index_valuation,
    "GetIndexConstituents": lambda indexCode: {
        "constituents": [
            {"stockCode": code, "weight": share} for code, share in _parts(_row("indices", indexCode)[9]).items()
        ]
    },
    "GetIndustryRanking": ranking,
    "GetMacroIndicator": macro,
    "GetUserAssetBrief": brief,
    "GetUserAssetView": view,
    "GetFundLatestProfit": latest_profit,
    "GetProfitCalendar": calendar,
    "GetUserTradeRecords": trades,
    "GetUserRegularPlans": regular_plans,
    "GetUserRiskAssessment": assessment,
    "GetAssetAllocationPlan": plan,
    "SimulateRegularInvestment": regular,
    "PlanSavingGoal": goal,
    "AnalyzeCashFlow": cash_flow,
    "AnalyzeAssetLiability": balance,
    "SearchFinancialNews": news,
    "GetNewsContent": lambda newsId: {"title": _row("articles", newsId)[5], "content": _row("articles", newsId)[6]},
    "SearchHotTopic": lambda: [{"topic": row[1], "heat": int(row[2]), "newsId": row[3]} for row in _table("topics")],
    "SearchManagerViewpoint": viewpoints,
    "searchInvestAdvisorContent": lessons,
    "GetCurrentTime": lambda: {"currentTime": "2026-03-02 09:00:00", "weekday": "星期一"},
    "GetTxnDayRange": trading_days,
    "GetEconomicCalendar": events,
}
"""Tool -> what its answer must hold, for the arguments of a call; numbers unrounded."""


def differences(wanted: Any, answered: Any, path: str = "", *, near: float = 0.0051) -> list[str]:
    """Where an answer lacks what is wanted; it may hold more keys, but no more items."""
    if isinstance(wanted, dict) and isinstance(answered, dict):
        return [
            found
            for key, value in wanted.items()
            for found in differences(value, answered.get(key), f"{path}.{key}", near=near)
        ]
    if isinstance(wanted, list) and isinstance(answered, list) and len(wanted) == len(answered):
        return [
            found
            for at, value in enumerate(wanted)
            for found in differences(value, answered[at], f"{path}[{at}]", near=near)
        ]
    if isinstance(wanted, float) and isinstance(answered, int | float):
        return [] if abs(wanted - answered) <= near else [f"{path}: {answered}, not {wanted}"]
    return [] if wanted == answered else [f"{path}: {answered!r}, not {wanted!r}"]
