# ruff: noqa: N802, N803 (names are the real server's)
"""The server of advised strategies and portfolios: eleven tools, named as those of Qieman (盈米)."""

from itertools import combinations
from math import ceil
from typing import Annotated, Any

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.wealth import days, rows, series, world
from pytest_mcpbench.simulated.wealth.rows import Shares, Strategy
from pytest_mcpbench.simulated.wealth.types import (
    FirstDay,
    FundCode,
    FundCodes,
    LastDay,
    StrategyCode,
    StrategyCodes,
)


@with_config(ConfigDict(extra="forbid"))
class Weighted(TypedDict):
    """A fund of a portfolio."""

    fundCode: FundCode
    weight: Annotated[float, Field(description="占比，百分数", gt=0, le=100)]


Holdings = Annotated[list[Weighted], Field(description="各基金及占比，占比之和为 100", min_length=1)]


def StrategySearchByKeyword(
    _world: None, keyword: Annotated[str, Field(description="策略名称、类型或主理方里的词")]
) -> Any:
    """搜索投顾策略，由名称得到策略代码。"""
    matches = [
        each
        for each in rows.strategies().values()
        if world.has_words(keyword, f"{each.name} {each.kind} {each.adviser} {each.code}")
    ]
    return {"strategies": [_summary(each) for each in matches], "total": len(matches)}


def GetStrategyDetails(_world: None, strategyCode: StrategyCode) -> Any:
    """策略的类型、主理方、建议持有期、投顾费与近一年收益。"""
    strategy = world.strategy(strategyCode)
    facts = {
        "adviser": strategy.adviser,
        "recommendedHoldingDuration": strategy.holding,
        "setupDate": f"{strategy.founded}",
    }
    year = {"adviceFee": strategy.fee, "returnYear": world.percent(_last_year_values(strategy)[-1] - 1)}
    return {**_summary(strategy), **facts, **year}


def GetStrategyNavHistory(_world: None, strategyCode: StrategyCode, startDate: FirstDay, endDate: LastDay) -> Any:
    """策略的区间走势：每个交易日的净值（区间首日为1）与区间收益。"""
    begin, end = world.priced_span(startDate, endDate)
    values = world.composition_prices(world.strategy(strategyCode).composition, begin, end)
    dates = days.past()[series.position(begin) : series.position(end) + 1]
    navs = [{"date": f"{day}", "nav": round(value, 4)} for day, value in zip(dates, values, strict=True)]
    return {"strategyCode": strategyCode, "navs": navs, "change": world.percent(values[-1] - 1)}


def BatchGetStrategiesComposition(_world: None, strategyCodes: StrategyCodes) -> Any:
    """策略由哪些基金组成，各占多少。"""
    return world.facts_per_code(
        "strategyCode",
        strategyCodes,
        lambda code: {
            "funds": [
                {"fundCode": fund_code, "fundName": world.fund(fund_code).name, "weight": share}
                for fund_code, share in world.strategy(code).composition.items()
            ]
        },
    )


def BatchGetStrategyRiskInfo(_world: None, strategyCodes: StrategyCodes) -> Any:
    """策略的风险等级、一年波动率与一年最大回撤。"""
    return world.facts_per_code("strategyCode", strategyCodes, _risk)


def GetStrategyAssetClassAnalysis(_world: None, strategyCode: StrategyCode) -> Any:
    """策略穿透到底层后的大类资产占比。"""
    return {"strategyCode": strategyCode, **_classes(world.strategy(strategyCode).composition)}


def BatchGetPoTradeComposition(_world: None, strategyCodes: StrategyCodes) -> Any:
    """策略的调仓记录与理由。"""
    return world.facts_per_code("strategyCode", strategyCodes, _rebalances)


def GetFundRelatedStrategies(_world: None, fundCode: FundCode) -> Any:
    """哪些策略配置了这只基金。"""
    code = world.fund(fundCode).code
    matches = [each for each in rows.strategies().values() if code in each.composition]
    return {"fundCode": code, "strategies": [{**_summary(each), "weight": each.composition[code]} for each in matches]}


def GetFundsCorrelation(_world: None, fundCodes: FundCodes) -> Any:
    """基金两两之间最近一年日收益的相关系数。"""
    codes = [world.fund(code).code for code in fundCodes]
    if len(codes) < 2:
        raise ToolFailure("至少需要两只基金")
    pairs: list[dict[str, Any]] = []
    for one, other in combinations(codes, 2):
        prices = (series.last_year(world.fund_prices(code)) for code in (one, other))
        pairs.append({"funds": [one, other], "correlation": round(series.correlation(*prices), 4)})
    return {"pairs": pairs}


def GetFundsBackTest(_world: None, holdings: Holdings, startDate: FirstDay, endDate: LastDay) -> Any:
    """回测一个基金组合：买入后持有不动的区间收益与最大回撤。"""
    first, last = world.priced_span(startDate, endDate)
    values = world.composition_prices(_composition(holdings), first, last)
    return {"totalReturn": world.percent(values[-1] - 1), "maxDrawdown": world.percent(series.drawdown(values))}


def AnalyzePortfolioRisk(_world: None, holdings: Holdings) -> Any:
    """分析一个基金组合：加权后的风险等级、一年波动率、最大回撤与大类资产占比。"""
    composition = _composition(holdings)
    level = ceil(sum(world.fund(code).risk * share for code, share in composition.items()) / 100)
    values = world.composition_prices(composition, days.months_before(12))
    facts = {"riskLevel": level, "annualVolatility": world.percent(series.volatility(values))}
    return {**facts, "maxDrawdown": world.percent(series.drawdown(values)), **_classes(composition)}


def _summary(strategy: Strategy) -> dict[str, Any]:
    return {
        "strategyCode": strategy.code,
        "strategyName": strategy.name,
        "type": strategy.kind,
        "riskLevel": strategy.risk,
    }


def _last_year_values(strategy: Strategy) -> list[float]:
    return world.composition_prices(strategy.composition, days.months_before(12))


def _risk(code: str) -> dict[str, Any]:
    strategy = world.strategy(code)
    year = _last_year_values(strategy)
    facts = {"strategyName": strategy.name, "riskLevel": strategy.risk, "recommendedHoldingDuration": strategy.holding}
    swings = {"annualVolatility": world.percent(series.volatility(year))}
    return {**facts, **swings, "maxDrawdown": world.percent(series.drawdown(year))}


def _classes(composition: Shares) -> dict[str, float]:
    """Return the percentages of stocks, bonds, cash and the rest.

    A fund that borrows to buy bonds has more than 100 percent; the rest is never negative.
    """
    holdings = [(world.fund(code), share / 100) for code, share in composition.items()]
    stock = sum(fund.stock * share for fund, share in holdings)
    bond = sum(fund.bond * share for fund, share in holdings)
    cash = sum(fund.cash * share for fund, share in holdings)
    classes = {"stock": stock, "bond": bond, "cash": cash, "other": max(100 - stock - bond - cash, 0)}
    return {name: round(value, 2) for name, value in classes.items()}


def _rebalances(code: str) -> dict[str, Any]:
    strategy_code = world.strategy(code).code
    rebalances: list[dict[str, Any]] = []
    for rebalanced_code, day, cell, reason in rows.table("rebalances"):
        if rebalanced_code != strategy_code:
            continue
        changes: list[dict[str, Any]] = []
        # Entries ``code:before>after``, separated by commas.
        for move in cell.split(","):
            fund_code, _, weights = move.partition(":")
            before, after = map(float, weights.split(">"))
            fund_name = world.fund(fund_code).name
            changes.append({"fundCode": fund_code, "fundName": fund_name, "before": before, "after": after})
        rebalances.append({"date": day, "changes": changes, "reason": reason})
    return {"rebalances": rebalances}


def _composition(holdings: list[Weighted]) -> Shares:
    composition = {world.fund(each["fundCode"]).code: float(each["weight"]) for each in holdings}
    if abs(sum(composition.values()) - 100) > 0.01:
        raise ToolFailure(f"占比之和应为 100，现为 {sum(composition.values()):g}")
    return composition


SIMULATION = Simulation(
    name="wealth-strategies",
    state=lambda _world: None,
    tools=(
        StrategySearchByKeyword,
        GetStrategyDetails,
        GetStrategyNavHistory,
        BatchGetStrategiesComposition,
        BatchGetStrategyRiskInfo,
        GetStrategyAssetClassAnalysis,
        BatchGetPoTradeComposition,
        GetFundRelatedStrategies,
        GetFundsCorrelation,
        GetFundsBackTest,
        AnalyzePortfolioRisk,
    ),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
