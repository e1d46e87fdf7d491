"""The invented market: its tables agree with each other, its days are real, its prices follow from a seed."""

from datetime import date
from itertools import pairwise

import pytest

from pytest_mcpbench.simulated.wealth import days, rows, series, world

FUNDS = rows.funds()


def test_every_code_of_a_table_is_known() -> None:
    funds = {code for each in rows.strategies().values() for code in each.composition}
    funds |= {cells[0] for name in ("holdings", "bonds", "dividends") for cells in rows.table(name)}
    funds |= {cells[1] for cells in rows.table("announcements")} | {cells[4] for cells in rows.table("trades")}
    funds |= {cells[2] for cells in rows.table("regular_plans")}
    stocks = {code for held in rows.holdings().values() for code in held}
    stocks |= {code for each in rows.indices().values() for code in each.constituents}
    stocks |= {cells[0] for cells in rows.table("consensus")}
    assert {cells[0] for cells in rows.table("assessments")} == {cells[0] for cells in rows.table("accounts")}
    assert funds - FUNDS.keys() == set()
    assert stocks - rows.stocks().keys() == set()
    assert {each.manager for each in FUNDS.values()} == set(rows.managers())
    assert {code for each in FUNDS.values() for code in each.benchmark} - rows.indices().keys() == set()
    assert {cells[-1] for cells in rows.table("plans")} - rows.strategies().keys() == set()
    assert {cells[3] for cells in rows.table("topics")} <= {each.id for each in rows.news()}


def test_shares_of_a_whole_add_up_to_it() -> None:
    assert {round(sum(each.composition.values()), 6) for each in rows.strategies().values()} == {100}
    assert {round(sum(each.benchmark.values()), 6) for each in FUNDS.values() if each.benchmark} == {100}
    assert {sum(map(float, cells[3:7])) for cells in rows.table("plans")} == {100}
    assert all(sum(held.values()) <= FUNDS[code].stock for code, held in rows.holdings().items())
    bonds = {code: sum(rows.shares(kinds).values()) for code, kinds, _ in rows.table("bonds")}
    assert bonds == pytest.approx({code: FUNDS[code].bond for code in bonds})


def test_a_fund_has_a_rule_of_its_category() -> None:
    assert {each.category for each in FUNDS.values()} == {cells[0] for cells in rows.table("rules")}


@pytest.mark.parametrize(
    ("day", "trades"),
    [
        (date(2026, 2, 27), True),
        (date(2026, 2, 28), False),
        (date(2026, 2, 16), False),
        (date(2026, 2, 24), True),
        (date(2025, 1, 1), False),
        (date(2025, 6, 2), False),
        (date(2025, 6, 3), True),
        (date(2025, 10, 8), False),
        (date(2025, 10, 9), True),
    ],
    ids=str,
)
def test_the_market_trades_on_weekdays_that_are_no_holiday(day: date, trades: bool) -> None:
    assert days.is_trading_day(day) == trades


@pytest.mark.parametrize(
    ("months", "day"),
    [(1, date(2026, 1, 27)), (3, date(2025, 11, 27)), (12, date(2025, 2, 27)), (24, date(2024, 2, 27))],
)
def test_months_are_counted_back_from_the_last_day(months: int, day: date) -> None:
    assert days.months_before(months) == day


@pytest.mark.parametrize("code", FUNDS)
def test_a_fund_has_a_positive_price_for_each_trading_day(code: str) -> None:
    prices = world.fund_prices(code)
    assert (len(prices), prices[0], min(prices) > 0.3) == (len(days.past()), 1.0, True)


def test_prices_of_stocks_and_indices_end_where_their_tables_say() -> None:
    assert {code: world.stock_prices(code)[-1] for code in rows.stocks()} == {
        code: each.price for code, each in rows.stocks().items()
    }
    assert {code: world.index_prices(code)[-1] for code in rows.indices()} == {
        code: each.level for code, each in rows.indices().items()
    }


def test_an_index_fund_moves_with_its_index_and_classes_with_each_other() -> None:
    assert series.correlation(world.fund_prices("980403"), world.index_prices("IX0001")) > 0.99
    assert series.correlation(world.fund_prices("980101"), world.fund_prices("980102")) > 0.99


@pytest.mark.parametrize("code", FUNDS)
def test_the_deepest_fall_of_a_fund_lies_between_its_days(code: str) -> None:
    prices = world.fund_prices(code)
    fall = series.deepest_fall(prices)
    assert (fall is None) == (series.drawdown(prices) == 0)
    if fall is not None:
        high, low = series.at(prices, fall.peak), series.at(prices, fall.trough)
        assert fall.depth == pytest.approx(series.drawdown(prices)) == pytest.approx(1 - low / high)
        assert fall.peak < fall.trough < (fall.recovery or date.max)


def test_a_fund_that_has_not_regained_its_high_has_not_recovered() -> None:
    prices = (*(1 + at / 1000 for at in range(10)), *(0.9 for _ in days.past()[10:]))
    fall = series.deepest_fall(prices)
    assert fall is not None
    assert (fall.peak, fall.trough, fall.recovery) == (days.past()[9], days.past()[10], None)


def test_figures_of_a_series_are_those_of_its_definition() -> None:
    assert series.drawdown([1, 2, 1.5, 3, 2.4]) == pytest.approx(0.25)
    assert series.returns([1, 2, 1]) == [1, -0.5]
    assert series.correlation([1, 2, 1, 3], [2, 4, 2, 6]) == pytest.approx(1)
    assert series.sharpe([1, 1, 1]) == 0


def test_days_before_the_records_have_the_first_price() -> None:
    assert series.at((7.0, *[8.0] * 600), date(2020, 1, 1)) == 7
    assert all(one < other for one, other in pairwise(days.past()))
