# ruff: noqa: N802, N803 (names are the real server's)
"""The server of customer accounts and of financial planning: twelve tools."""

from datetime import date
from functools import cache
from math import isfinite
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series, world
from pytest_mcpbench.simulated.wealth.types import UserId

Amount = Annotated[float, Field(description="元", ge=0)]
Rate = Annotated[float, Field(description="年化收益率，百分数", ge=0, le=30)]
_KINDS = ("strategy", "fund")


def GetUserAssetBrief(_world: None, userId: UserId) -> Any:
    """账户总览：总资产、累计收益与最新日收益。"""
    positions = _positions(userId)
    total, cost = sum(each["value"] for each in positions), sum(each["cost"] for each in positions)
    profit = {"accumulatedProfit": round(total - cost, 2), "accumulatedProfitRate": world.percent(total / cost - 1)}
    daily = round(sum(each["dailyProfit"] for each in positions), 2)
    return {"userId": userId, "totalAsset": round(total, 2), **profit, "latestDailyProfit": daily, **_AS_OF}


def GetUserAssetView(_world: None, userId: UserId) -> Any:
    """账户持有哪些策略和基金，附代码与市值。"""
    positions = _positions(userId)
    fields = ("code", "name", "value", "profit")
    by_kind = {
        kind: [{key: each[key] for key in fields} for each in positions if each["kind"] == kind] for kind in _KINDS
    }
    return {"userId": userId, "strategies": by_kind["strategy"], "funds": by_kind["fund"]}


def GetFundLatestProfit(_world: None, userId: UserId) -> Any:
    """直接持有的每只基金当日盈亏，不含策略。"""
    funds = [each for each in _positions(userId) if each["kind"] == "fund"]
    profits = [
        {"fundCode": each["code"], "fundName": each["name"], "dailyProfit": each["dailyProfit"]} for each in funds
    ]
    return [{**each, **_AS_OF} for each in profits]


def GetProfitCalendar(_world: None, userId: UserId, month: Annotated[str, Field(description="月份，YYYY-MM")]) -> Any:
    """收益日历：一个月里每个交易日的账户收益与合计。"""
    first = world.day(f"{month}-01", "month")
    month_days = [day for day in days.past() if (day.year, day.month) == (first.year, first.month)]
    if not month_days:
        raise ToolFailure(f"没有 {month} 的收益")
    series_of_values = [_values(*cells) for cells in _account_rows(userId)]
    entries: list[dict[str, Any]] = []
    for day in month_days:
        offset = len(days.past()) - series.position(day)
        # A position that did not exist yet has no profit.
        profits = (
            round(values[-offset] - values[-offset - 1], 2) for values in series_of_values if len(values) > offset
        )
        entries.append({"date": f"{day}", "profit": round(sum(profits), 2)})
    return {"month": month, "total": round(sum(each["profit"] for each in entries), 2), "days": entries}


def GetUserTradeRecords(_world: None, userId: UserId) -> Any:
    """账户的申购、赎回与定投记录，含手续费、状态与预计完成日，新的在前。"""
    _account_rows(userId)
    user_rows = sorted(
        (cells[1:] for cells in rows.table("trades") if cells[0] == userId), key=lambda row: row[1], reverse=True
    )
    trades = [
        {
            "tradeId": trade_id,
            "date": day,
            "type": kind,
            "fundCode": code,
            "fundName": world.fund(code).name,
            "amount": float(amount),
            "fee": float(fee),
            "status": status,
            "completionDate": completion_date,
        }
        for trade_id, day, kind, code, amount, fee, status, completion_date in user_rows
    ]
    return {"userId": userId, "trades": trades}


def GetUserRegularPlans(_world: None, userId: UserId) -> Any:
    """账户的定投计划：基金、每期金额、扣款日、状态与下次扣款日。"""
    _account_rows(userId)
    plans = [cells[1:] for cells in rows.table("regular_plans") if cells[0] == userId]
    regular_plans: list[dict[str, Any]] = []
    for cells in plans:
        id_, code, amount, cycle, status, started, following = cells
        fields = {"planId": id_, "fundCode": code, "fundName": world.fund(code).name, "amount": float(amount)}
        upcoming = None if following == "-" else following
        regular_plans.append({**fields, "cycle": cycle, "status": status, "startDate": started, "nextDate": upcoming})
    return {"userId": userId, "plans": regular_plans}


def GetUserRiskAssessment(_world: None, userId: UserId) -> Any:
    """投资者类型、可买的最高风险等级与测评有效期。"""
    _account_rows(userId)
    kind, level, day = next(cells[1:] for cells in rows.table("assessments") if cells[0] == userId)
    assessed = date.fromisoformat(day)
    validity = {"assessmentDate": day, "validUntil": f"{assessed.replace(year=assessed.year + 1)}"}
    return {"userId": userId, "riskType": kind, "maxRiskLevel": int(level), **validity}


def GetAssetAllocationPlan(
    _world: None,
    expectedAnnualizedReturnRate: Annotated[float, Field(description="期望年化收益率，百分数", gt=0)],
    expectedDrawdown: Annotated[float, Field(description="能承受的最大回撤，百分数", gt=0)],
) -> Any:
    """按期望收益与可承受回撤给出大类资产配比和对应的策略代码。"""
    for name, gain, fall, *weights, strategy in rows.table("plans"):
        if float(gain) >= expectedAnnualizedReturnRate and float(fall) <= expectedDrawdown:
            allocation = dict(zip(("stock", "bond", "cash", "other"), map(float, weights), strict=True))
            expected = {"expectedReturn": float(gain), "expectedDrawdown": float(fall)}
            return {"plan": name, **expected, "allocation": allocation, "strategyCode": strategy}
    raise ToolFailure("没有同时满足该收益与回撤要求的方案，请降低期望收益或放宽回撤")


def SimulateRegularInvestment(
    _world: None,
    monthlyAmount: Annotated[float, Field(description="每月投入，元", gt=0)],
    months: Annotated[int, Field(description="投多少个月", ge=1, le=600)],
    annualReturnRate: Rate,
) -> Any:
    """定投测算：每月月末投入，到期本金、市值与收益。"""
    principal, final_value = monthlyAmount * months, monthlyAmount * _annuity(months, annualReturnRate)
    return {
        "principal": round(principal, 2),
        "finalValue": round(final_value, 2),
        "profit": round(final_value - principal, 2),
    }


def PlanSavingGoal(
    _world: None,
    targetAmount: Annotated[float, Field(description="目标金额，元", gt=0)],
    months: Annotated[int, Field(description="还有多少个月", ge=1, le=600)],
    annualReturnRate: Rate,
) -> Any:
    """目标倒推：为攒够一笔钱每月需存多少。"""
    return {"monthlyAmount": round(targetAmount / _annuity(months, annualReturnRate), 2)}


def AnalyzeCashFlow(_world: None, monthlyIncome: Amount, monthlyExpense: Amount, monthlyDebt: Amount) -> Any:
    """家庭收支诊断：结余、储蓄率、偿债率与建议应急金。"""
    if monthlyIncome == 0:
        raise ToolFailure("monthlyIncome 应大于 0")
    surplus = monthlyIncome - monthlyExpense - monthlyDebt
    ratios = {
        "savingRate": world.percent(surplus / monthlyIncome),
        "debtRatio": world.percent(monthlyDebt / monthlyIncome),
    }
    return {"surplus": round(surplus, 2), **ratios, "emergencyFund": round(6 * (monthlyExpense + monthlyDebt), 2)}


def AnalyzeAssetLiability(
    _world: None,
    liquidAssets: Amount,
    investedAssets: Amount,
    realEstate: Amount,
    liabilities: Amount,
) -> Any:
    """家庭资产负债诊断：净资产、负债率与投资资产占比。"""
    assets = liquidAssets + investedAssets + realEstate
    if assets == 0:
        raise ToolFailure("资产合计应大于 0")
    ratios = {
        "liabilityRatio": world.percent(liabilities / assets),
        "investmentRatio": world.percent(investedAssets / assets),
    }
    return {"totalAssets": round(assets, 2), "netAssets": round(assets - liabilities, 2), **ratios}


_AS_OF = {"profitDate": f"{days.LAST_DAY}"}


def _account_rows(user: str) -> list[tuple[str, ...]]:
    positions = [cells[1:] for cells in rows.table("accounts") if cells[0] == user]
    if not positions:
        raise ToolFailure(f"未找到该用户: {user}")
    return positions


def _positions(user: str) -> list[dict[str, Any]]:
    """Return the positions of an account: shares of funds, and amounts invested in strategies since a day."""
    positions: list[dict[str, Any]] = []
    for kind, code, amount, since in _account_rows(user):
        values = _values(kind, code, amount, since)
        cost = float(amount) if kind == "strategy" else float(amount) * float(since)
        name = world.strategy(code).name if kind == "strategy" else world.fund(code).name
        facts = {"kind": kind, "code": code, "name": name, "cost": cost, "value": round(values[-1], 2)}
        profits = {"profit": round(values[-1] - cost, 2), "dailyProfit": round(values[-1] - values[-2], 2)}
        positions.append({**facts, **profits})
    return positions


@cache
def _values(kind: str, code: str, amount: str, since: str) -> tuple[float, ...]:
    """Return the value of a position on each day up to the last one."""
    if kind == "strategy":
        prices = world.composition_prices(world.strategy(code).composition, date.fromisoformat(since))
        return tuple(float(amount) * price for price in prices)
    return tuple(float(amount) * price for price in world.fund_prices(code))


def _annuity(months: int, rate: float) -> float:
    """Return the final value of payments of 1 at the end of each month."""
    monthly = rate / 1200
    growth = (1 + monthly) ** months - 1
    return growth / monthly if growth else months


def _require_finite(result: Any) -> Any:
    """Return a result; raise :class:`ToolFailure` if a number of it is too large to be computed."""
    numbers = [value for value in result.values() if isinstance(value, float)] if isinstance(result, dict) else ()
    if not all(map(isfinite, numbers)):
        raise ToolFailure("金额过大，无法计算")
    return result


SIMULATION = Simulation(
    name="wealth-accounts",
    state=lambda _world: None,
    tools=(
        GetUserAssetBrief,
        GetUserAssetView,
        GetFundLatestProfit,
        GetProfitCalendar,
        GetUserTradeRecords,
        GetUserRegularPlans,
        GetUserRiskAssessment,
        GetAssetAllocationPlan,
        SimulateRegularInvestment,
        PlanSavingGoal,
        AnalyzeCashFlow,
        AnalyzeAssetLiability,
    ),
    answer=_require_finite,
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
