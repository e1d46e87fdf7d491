"""Quote server ``finance-agent-mcp-server``, which uses the symbols of each market."""

import json
from typing import Any

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation, ToolFailure
from pytest_mcpbench.simulated.market import world


def get_stock_price_global_market(_world: None, symbol_list: list[str], market: str) -> str:
    """Current quotes of stocks on one market.

    Args:
        symbol_list: Symbols as the market writes them. US, LSE, NSE_INDIA and EURONEXT: letters (MSFT, ULVR). HK: the
            code without leading zeros (5 for HSBC). CN_MAINLAND: SH or SZ and six digits (SH601318).
        market: US, HK, CN_MAINLAND, LSE, NSE_INDIA or EURONEXT

    Returns:
        JSON: a list with symbol, current, chg, percent, high, low, volume, market_capital and currency of each
    """
    if market not in world.MARKETS:
        raise ToolFailure(f"invalid market {market!r}; choose one of {', '.join(world.MARKETS)}")
    companies = [(symbol, world.company(symbol, market)) for symbol in symbol_list]
    unknown = [symbol for symbol, company in companies if company is None]
    if unknown:
        raise ToolFailure(f"no quote found for {', '.join(unknown)} on {market}")
    quotes: list[dict[str, Any]] = []
    for _, company in companies:
        if company:
            last, (change, percent) = world.history(company)[-1], world.change(company)
            currency = world.MARKETS[company.market].currency
            facts = {
                "symbol": company.symbol,
                "name": company.name,
                "current": last.close,
                "chg": change,
                "percent": percent,
            }
            range_ = {"high": f"{last.high} {currency}", "low": f"{last.low} {currency}", "volume": last.volume}
            quotes.append({**facts, **range_, "market_capital": world.market_value(company), "currency": currency})
    return json.dumps(quotes, ensure_ascii=False)


SIMULATION = Simulation(
    name="finance-agent",
    state=lambda _world: None,
    tools=(get_stock_price_global_market,),
    dialect=FASTMCP,
    failure="Error executing tool get_stock_price_global_market: {message}",
)
server = SIMULATION.server
"""Factory of a server for one attempt."""
