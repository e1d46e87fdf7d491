"""Finance server ``yahoo-finance-mcp``: price histories, company facts, statements and exchange rates."""

import json
from datetime import timedelta
from typing import Any, Literal

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation, ToolFailure
from pytest_mcpbench.simulated.market import world
from pytest_mcpbench.simulated.market.world import Company

Period = Literal["5d", "1mo", "3mo", "6mo", "1y"]
_DAYS_BY_PERIOD = {"5d": 7, "1mo": 31, "3mo": 92, "6mo": 183, "1y": 365}


def get_historical_stock_prices(
    _world: None, ticker: str, period: Period = "1mo", interval: Literal["1d", "1wk"] = "1d"
) -> str:
    """Past prices of one stock.

    Args:
        ticker: With the ending of the exchange: none in the US, 0005.HK, 601318.SS, 000858.SZ, BARC.L, TCS.NS, BNP.PA
        period: How far back: 5d, 1mo, 3mo, 6mo or 1y; 1mo if it is left out
        interval: One row a day (1d) or a week (1wk); 1d if it is left out
    """
    company = _company(ticker)
    first = world.LAST_DAY - timedelta(days=_DAYS_BY_PERIOD[period])
    bars = [bar for bar in world.history(company) if bar.date > first]
    period_bars = bars if interval == "1d" else [bar for bar in bars if bar.date.weekday() == 4]
    rows: list[dict[str, Any]] = []
    for bar in period_bars:
        prices = {"Open": bar.open, "High": bar.high, "Low": bar.low, "Close": bar.close}
        rows.append({"Date": bar.date.isoformat(), **prices, "Volume": bar.volume})
    return json.dumps(rows)


def get_stock_info(_world: None, ticker: str) -> str:
    """Name, sector, currency, market value and price of the company behind one stock.

    Args:
        ticker: With the ending of the exchange: none in the US, 0005.HK, 601318.SS, 000858.SZ, BARC.L, TCS.NS, BNP.PA
    """
    company = _company(ticker)
    facts = {"symbol": company.ticker, "longName": company.name, "sector": company.sector}
    worth = {"currentPrice": world.history(company)[-1].close, "marketCap": world.market_value(company)}
    return json.dumps({**facts, **worth, "currency": world.MARKETS[company.market].currency}, ensure_ascii=False)


def get_financial_statement(
    _world: None, ticker: str, financial_type: Literal["income_stmt", "quarterly_income_stmt"]
) -> str:
    """Revenue and net income of a company by business year or quarter, the latest first.

    Args:
        ticker: With the ending of the exchange: none in the US, 0005.HK, 601318.SS, 000858.SZ, BARC.L, TCS.NS, BNP.PA
        financial_type: income_stmt for years, quarterly_income_stmt for quarters
    """
    years = world.revenues(_company(ticker))
    if financial_type == "income_stmt":
        periods = [(day, revenue, income) for day, (revenue, income) in years.items()]
    else:
        # The quarters of the latest year, each with a fixed share of the year's figures.
        revenue, income = next(iter(years.values()))
        shares = {"2025-12-31": 28, "2025-09-30": 25, "2025-06-30": 24, "2025-03-31": 23}
        periods = [(day, revenue * share // 100, income * share // 100) for day, share in shares.items()]
    return json.dumps(
        [{"date": day, "Total Revenue": revenue, "Net Income": income} for day, revenue, income in periods]
    )


def get_exchange_rate(_world: None, from_currency: str, to_currency: str) -> str:
    """How much of one currency a unit of another buys.

    Args:
        from_currency: Three letters, like JPY
        to_currency: Three letters, like RUB
    """
    rate = world.rate(from_currency.upper(), to_currency.upper())
    if rate is None:
        raise ToolFailure(f"no exchange rate found for {from_currency}/{to_currency}")
    return json.dumps(
        {"from": from_currency.upper(), "to": to_currency.upper(), "rate": rate, "date": f"{world.LAST_DAY}"}
    )


def _company(ticker: str) -> Company:
    company = world.company_by_ticker(ticker)
    if company is None:
        raise ToolFailure(f"Company ticker {ticker} not found.")
    return company


SIMULATION = Simulation(
    name="yahoo-finance",
    state=lambda _world: None,
    tools=(get_historical_stock_prices, get_stock_info, get_financial_statement, get_exchange_rate),
    dialect=FASTMCP,
    failure="Error: {message}",
)
server = SIMULATION.server
"""Factory of a server for one attempt."""
