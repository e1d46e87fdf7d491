"""The market servers: quotes, histories, statements and rates that follow from a seed."""

import json
from itertools import pairwise
from typing import Any

import pytest

from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.market import world
from pytest_mcpbench.simulated.market.finance_agent import SIMULATION as QUOTES
from pytest_mcpbench.simulated.market.yahoo_finance import SIMULATION as YAHOO


def _call(simulation: Simulation, tool: str, **arguments: Any) -> Any:
    return json.loads(simulation.call(None, tool, arguments))


def test_a_quote_is_the_last_day_of_the_history() -> None:
    (quote,) = _call(QUOTES, "get_stock_price_global_market", symbol_list=["tsla"], market="US")
    *_, before, last = _call(YAHOO, "get_historical_stock_prices", ticker="TSLA", period="5d")
    assert (quote["symbol"], quote["current"]) == ("TSLA", last["Close"])
    assert quote["chg"] == pytest.approx(last["Close"] - before["Close"], abs=0.005)
    assert quote["percent"] == pytest.approx((last["Close"] / before["Close"] - 1) * 100, abs=0.005)


def test_every_symbol_has_one_company_on_its_market() -> None:
    assert len({(each.market, each.symbol) for each in world.COMPANIES}) == len(world.COMPANIES)
    assert len({each.ticker for each in world.COMPANIES}) == len(world.COMPANIES)
    assert {each.market for each in world.COMPANIES} == set(world.MARKETS)


@pytest.mark.parametrize("company", world.COMPANIES, ids=lambda company: company.ticker)
def test_a_history_has_each_day_of_trading_once(company: world.Company) -> None:
    bars = world.history(company)
    assert all(one.date < other.date for one, other in pairwise(bars))
    assert all(bar.low <= min(bar.open, bar.close) <= max(bar.open, bar.close) <= bar.high for bar in bars)
    assert (bars[-1].date, {bar.date.weekday() for bar in bars}) == (world.LAST_DAY, {0, 1, 2, 3, 4})


def test_a_week_is_its_friday() -> None:
    weeks = _call(YAHOO, "get_historical_stock_prices", ticker="MC.PA", period="1mo", interval="1wk")
    assert [row["Date"] for row in weeks] == ["2026-01-30", "2026-02-06", "2026-02-13", "2026-02-20", "2026-02-27"]


def test_the_quarters_add_up_to_the_year() -> None:
    years, quarters = (
        _call(YAHOO, "get_financial_statement", ticker="KO", financial_type=kind)
        for kind in ("income_stmt", "quarterly_income_stmt")
    )
    assert sum(each["Total Revenue"] for each in quarters) == pytest.approx(years[0]["Total Revenue"], abs=4)


def test_the_value_of_a_company_is_its_price_times_its_shares() -> None:
    facts = _call(YAHOO, "get_stock_info", ticker="0700.hk")
    assert (facts["currency"], facts["marketCap"]) == ("HKD", round(facts["currentPrice"] * 9_200_000_000))


def test_rates_of_both_directions_are_each_others_inverse() -> None:
    there = _call(YAHOO, "get_exchange_rate", from_currency="usd", to_currency="JPY")["rate"]
    back = _call(YAHOO, "get_exchange_rate", from_currency="JPY", to_currency="USD")["rate"]
    assert there * back == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize(
    ("simulation", "tool", "arguments", "message"),
    [
        (
            QUOTES,
            "get_stock_price_global_market",
            {"symbol_list": ["00700"], "market": "HK"},
            "no quote found for 00700",
        ),
        (QUOTES, "get_stock_price_global_market", {"symbol_list": ["TSLA"], "market": "NYSE"}, "invalid market 'NYSE'"),
        (QUOTES, "get_stock_price_global_market", {"symbol_list": ["TSLA"]}, "Field required"),
        (YAHOO, "get_stock_info", {"ticker": "700"}, "Company ticker 700 not found."),
        (YAHOO, "get_exchange_rate", {"from_currency": "USD", "to_currency": "XXX"}, "no exchange rate found"),
        (YAHOO, "get_historical_stock_prices", {"ticker": "KO", "period": "2y"}, "Input should be"),
    ],
)
def test_what_is_refused(simulation: Simulation, tool: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        simulation.call(None, tool, arguments)
    assert message in str(refused.value)
