"""The five wealth servers: what they refuse, how they say it, and that they are cheap and the same each time."""

import json
from typing import Any

import pytest

from pytest_mcpbench.simulated.catalogue import SERVERS as CATALOGUE
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.serve import build_server, world
from tests.simulated.wealth.calling import SERVERS, answer

HALVES = [{"fundCode": "980101", "weight": 50}, {"fundCode": "980105", "weight": 40}]


def test_there_are_at_least_thirty_tools_with_names_of_their_own() -> None:
    names = [name for each in SERVERS for name in each.table]
    assert (len(names) >= 30, len(set(names))) == (True, len(names))


def test_every_parameter_is_described_but_amounts_of_money() -> None:
    undescribed = {
        (tool.name, name)
        for each in SERVERS
        for tool in each.table.values()
        for name, schema in tool.input_schema["properties"].items()
        if "description" not in schema
    }
    assert undescribed == set()
    assert [tool.name for each in SERVERS for tool in each.table.values() if not tool.description] == []


@pytest.mark.parametrize("server", [name for name in CATALOGUE if name.startswith("wealth-")])
def test_each_can_be_served_by_its_name(server: str) -> None:
    assert build_server(server, world(server)).name == server


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("AnalyzeFundRisk", {"fundCode": "999999"}, "未找到该基金: 999999"),
        ("AnalyzeFundRisk", {}, "Input validation error: 'fundCode' is a required property"),
        ("SearchFunds", {"category": "期货"}, "'期货' is not one of"),
        ("SearchFunds", {"size": "3"}, "'3' is not of type 'integer'"),
        ("GetAnnouncementContent", {"announcementId": "AN1"}, "未找到该公告: AN1"),
        ("getBondAllocationByFundCode", {"fundCode": "980101"}, "该基金没有债券持仓明细"),
        ("GetFundManager", {"managerId": "M99"}, "未找到该基金经理"),
        ("GetStrategyDetails", {"strategyCode": "ST9"}, "未找到该策略"),
        ("GetFundsCorrelation", {"fundCodes": ["980101"]}, "至少需要两只基金"),
        (
            "GetFundsBackTest",
            {"holdings": HALVES, "startDate": "2025-01-02", "endDate": "2025-02-03"},
            "占比之和应为 100，现为 90",
        ),
        (
            "GetFundsBackTest",
            {"holdings": HALVES, "startDate": "2025-03-02", "endDate": "2025-02-03"},
            "endDate 2025-02-03 早于 startDate",
        ),
        ("GetTxnDayRange", {"startDate": "3月1日", "endDate": "2026-03-05"}, "参数 startDate 格式错误"),
        (
            "GetStockKline",
            {"stockCode": "SH699001", "startDate": "2027-01-01", "endDate": "2027-02-01"},
            "该区间没有数据",
        ),
        ("GetFinancialStatement", {"stockCode": "SH699001", "reportYear": 2019}, "没有 2019 财年的报表"),
        ("GetIndexValuation", {"indexCode": "IX0005"}, "该指数没有估值"),
        ("GetMacroIndicator", {"indicator": "CPI", "months": 99}, "99 is greater than the maximum of 12"),
        ("GetUserAssetBrief", {"userId": "x"}, "未找到该用户: x"),
        ("GetProfitCalendar", {"userId": "9b98a1c4d2e701", "month": "2026-03"}, "没有 2026-03 的收益"),
        (
            "GetAssetAllocationPlan",
            {"expectedAnnualizedReturnRate": 8, "expectedDrawdown": 3},
            "没有同时满足该收益与回撤要求的方案",
        ),
        ("AnalyzeCashFlow", {"monthlyIncome": 0, "monthlyExpense": 1, "monthlyDebt": 1}, "monthlyIncome 应大于 0"),
        ("GetNewsContent", {"newsId": "V3101"}, "未找到该新闻"),
        ("CalculateFundTradeFee", {"fundCode": "980101", "op": "redeem", "amount": 1000}, "赎回须填 holdingDays"),
        ("GetStockConsensus", {"stockCode": "SH699005"}, "没有机构覆盖该股票: SH699005"),
        ("GetUserRegularPlans", {"userId": "x"}, "未找到该用户: x"),
        ("GetEconomicCalendar", {"startDate": "2026-03-09", "endDate": "2026-03-02"}, "早于 startDate"),
    ],
)
def test_what_is_refused(tool: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        answer(tool, **arguments)
    assert message in str(refused.value)


def test_of_several_codes_an_unknown_one_has_an_error_in_its_place() -> None:
    first, second = answer("BatchGetFundTradeLimit", fundCodes=["000000", "980201"])
    assert first == {"fundCode": "000000", "error": "未找到该基金: 000000"}
    assert (second["fundCode"], second["maxBuyAmountPerDay"]) == ("980201", 50000)


def test_a_search_without_a_hit_is_empty() -> None:
    assert answer("SearchFunds", keyword="盈米宝") == {"funds": [], "total": 0}
    assert answer("SearchStocks", keyword="不存在") == {"stocks": [], "total": 0}
    assert answer("searchInvestAdvisorContent", keyword="不存在") == {"items": []}


@pytest.mark.parametrize(
    ("keyword", "title"),
    [
        ("会员", "会员等级怎样计算"),
        ("会员等级", "会员等级怎样计算"),
        ("持仓页笔记", "怎样写投资笔记"),
        ("会员的等级", "会员等级怎样计算"),
    ],
)
def test_a_search_that_finds_all_words_nowhere_finds_the_texts_with_most_parts_of_them(
    keyword: str, title: str
) -> None:
    found = [each["title"] for each in answer("searchInvestAdvisorContent", keyword=keyword)["items"]]
    assert found == [title]


def test_funds_are_sorted_as_asked_and_no_more_than_asked() -> None:
    up = answer("SearchFunds", sortColumn="基金规模", sortOrder="升序", size=3)["funds"]
    assert [each["size"] for each in up] == sorted(each["size"] for each in up)
    oldest = answer("SearchFunds", sortColumn="成立日期", sortOrder="升序", size=1)["funds"][0]
    assert oldest["fundCode"] == "980311"


@pytest.mark.parametrize(("held", "fee"), [(6, 150), (7, 75), (29, 75), (30, 50), (364, 50), (365, 0), (4000, 0)])
def test_the_fee_of_a_redemption_falls_with_the_days_held(held: int, fee: float) -> None:
    sold = answer("CalculateFundTradeFee", fundCode="980101", op="redeem", amount=10000, holdingDays=held)
    assert (sold["fee"], sold["netAmount"]) == (fee, 10000 - fee)


def test_the_fee_of_a_purchase_is_part_of_the_amount_paid() -> None:
    bought = answer("CalculateFundTradeFee", fundCode="980203", op="allot", amount=5000)
    assert (bought["fee"], bought["netAmount"]) == (7.49, 4992.51)


def test_a_money_fund_has_no_fall_to_recover_from() -> None:
    assert answer("getFundRecoveryAbility", fundCode="980108") == {
        "fundCode": "980108",
        "deepestFall": 0.0,
        "peakDate": None,
        "troughDate": None,
        "recoveryDate": None,
        "recoveryDays": None,
    }


def test_the_calendar_of_events_keeps_to_its_days_and_region() -> None:
    week = {"startDate": "2026-03-09", "endDate": "2026-03-12"}
    abroad = answer("GetEconomicCalendar", **week, region="境外")["events"]
    assert {each["region"] for each in answer("GetEconomicCalendar", **week)["events"]} == {"境内", "境外"}
    assert [each["date"] for each in abroad] == ["2026-03-11", "2026-03-12"]


def test_the_clock_is_the_worlds() -> None:
    assert answer("GetCurrentTime") == {"currentTime": "2026-03-02 09:00:00", "weekday": "星期一"}


def test_the_same_call_gives_the_same_bytes() -> None:
    arguments = {"userId": "9b98b7f0a35c02", "month": "2026-01"}
    assert json.dumps(answer("GetProfitCalendar", **arguments)) == json.dumps(answer("GetProfitCalendar", **arguments))
