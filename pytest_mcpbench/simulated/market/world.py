"""Listed companies with quotes, price histories and statements generated from a seed.

Companies and their symbols are real; all prices and figures are invented and identical in every attempt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random
from types import MappingProxyType

LAST_DAY = date(2026, 2, 27)
"""Last trading day before the frozen clock, a Friday."""

_HISTORY_DAYS = 390


@dataclass(frozen=True)
class Market:
    """An exchange as the services name it, and the suffix of its symbols in the history service."""

    code: str
    currency: str
    suffix: str


@dataclass(frozen=True)
class Company:
    """A listed company; the generated history fluctuates around ``price``."""

    symbol: str
    """Symbol in the quote service."""
    ticker: str
    """Symbol in the history service, including the suffix of the exchange."""
    name: str
    market: str
    price: float
    shares: int
    """Number of shares in millions."""
    sector: str


@dataclass(frozen=True)
class Bar:
    """Prices and volume of one trading day."""

    date: date
    open: float
    high: float
    low: float
    close: float
    volume: int


MARKETS: Mapping[str, Market] = MappingProxyType(
    {
        "US": Market("US", "USD", ""),
        "HK": Market("HK", "HKD", ".HK"),
        "CN_MAINLAND": Market("CN_MAINLAND", "CNY", ".SS"),
        "LSE": Market("LSE", "GBP", ".L"),
        "NSE_INDIA": Market("NSE_INDIA", "INR", ".NS"),
        "EURONEXT": Market("EURONEXT", "EUR", ".PA"),
    }
)

COMPANIES: tuple[Company, ...] = (
    Company("TSLA", "TSLA", "Tesla, Inc.", "US", 288.0, 3210, "Automobiles"),
    Company("AAPL", "AAPL", "Apple Inc.", "US", 241.0, 15100, "Technology"),
    Company("MSFT", "MSFT", "Microsoft Corporation", "US", 448.0, 7430, "Technology"),
    Company("NVDA", "NVDA", "NVIDIA Corporation", "US", 151.0, 24400, "Semiconductors"),
    Company("AMZN", "AMZN", "Amazon.com, Inc.", "US", 214.35, 10500, "Retail"),
    Company("KO", "KO", "The Coca-Cola Company", "US", 71.0, 4300, "Beverages"),
    Company("NFLX", "NFLX", "Netflix, Inc.", "US", 982.0, 427, "Media"),
    Company("700", "0700.HK", "Tencent Holdings Limited", "HK", 498.0, 9200, "Technology"),
    Company("1024", "1024.HK", "Kuaishou Technology", "HK", 52.0, 4310, "Media"),
    Company("9988", "9988.HK", "Alibaba Group Holding Limited", "HK", 131.0, 19000, "Retail"),
    Company("1810", "1810.HK", "Xiaomi Corporation", "HK", 48.0, 25100, "Technology"),
    Company("SH600519", "600519.SS", "Kweichow Moutai Co., Ltd.", "CN_MAINLAND", 1490.0, 1256, "Beverages"),
    Company("SH600036", "600036.SS", "China Merchants Bank Co., Ltd.", "CN_MAINLAND", 44.0, 25220, "Banks"),
    Company(
        "SZ300750", "300750.SZ", "Contemporary Amperex Technology Co., Limited", "CN_MAINLAND", 262.0, 4400, "Batteries"
    ),
    Company("SHEL", "SHEL.L", "Shell plc", "LSE", 26.4, 6200, "Energy"),
    Company("ULVR", "ULVR.L", "Unilever PLC", "LSE", 46.8, 2480, "Consumer goods"),
    Company("HSBA", "HSBA.L", "HSBC Holdings plc", "LSE", 8.7, 17900, "Banks"),
    Company("RELIANCE", "RELIANCE.NS", "Reliance Industries Limited", "NSE_INDIA", 1310.0, 13530, "Energy"),
    Company("INFY", "INFY.NS", "Infosys Limited", "NSE_INDIA", 1585.0, 4150, "Technology"),
    Company("MC", "MC.PA", "LVMH Moët Hennessy Louis Vuitton SE", "EURONEXT", 612.0, 500, "Luxury goods"),
    Company("AIR", "AIR.PA", "Airbus SE", "EURONEXT", 168.45, 790, "Aerospace"),
)

RATES: Mapping[str, float] = MappingProxyType(
    {"USD": 1.0, "EUR": 0.9215, "GBP": 0.7834, "CNY": 7.2318, "HKD": 7.7862, "INR": 86.412, "RUB": 91.37, "JPY": 149.26}
)
"""Units of each currency per US dollar."""


def company(symbol: str, market: str) -> Company | None:
    """Return the company with the symbol on the market, or ``None``."""
    matches = (each for each in COMPANIES if each.symbol == symbol.upper() and each.market == market)
    return next(matches, None)


def company_by_ticker(ticker: str) -> Company | None:
    """Return the company with the ticker, which includes the suffix of the exchange, or ``None``."""
    return next((each for each in COMPANIES if each.ticker == ticker.upper()), None)


@cache
def history(company: Company) -> tuple[Bar, ...]:
    """Return all trading days up to :data:`LAST_DAY`, oldest first; the last close is the company's price."""
    random = Random(f"market/{company.ticker}")
    close, bars = company.price, []
    for back in range(_HISTORY_DAYS):
        day = LAST_DAY - timedelta(days=back)
        if day.weekday() < 5:
            start = close * (1 + random.gauss(0, 0.006))
            high = max(start, close) * (1 + random.random() * 0.009)
            low = min(start, close) * (1 - random.random() * 0.009)
            volume = random.randint(900, 99_000) * 1000
            bars.append(Bar(day, round(start, 2), round(high, 2), round(low, 2), round(close, 2), volume))
            close /= 1 + random.gauss(0.0004, 0.014)
    return tuple(reversed(bars))


def change(company: Company) -> tuple[float, float]:
    """Return the change on the last day, absolute and in percent."""
    *_, before, last = history(company)
    return round(last.close - before.close, 2), round((last.close / before.close - 1) * 100, 2)


def market_value(company: Company) -> int:
    """Return the value of all shares at the last close, in the market's currency."""
    return round(history(company)[-1].close * company.shares * 1_000_000)


def revenues(company: Company) -> dict[str, tuple[int, int]]:
    """Return revenue and net income by the last day of the business year, newest first."""
    random = Random(f"statements/{company.ticker}")
    revenue = company.price * company.shares * random.uniform(80_000, 260_000)
    figures_by_day = {}
    for year in (2025, 2024, 2023):
        figures_by_day[f"{year}-12-31"] = round(revenue), round(revenue * random.uniform(0.07, 0.26))
        revenue /= 1 + random.uniform(-0.03, 0.16)
    return figures_by_day


def rate(base: str, quote: str) -> float | None:
    """Return the exchange rate: units of ``quote`` per unit of ``base``; ``None`` for an unknown currency."""
    is_known = {base, quote} <= RATES.keys()
    return round(RATES[quote] / RATES[base], 4) if is_known else None
