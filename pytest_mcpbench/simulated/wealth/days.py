"""The trading days of the invented market."""

from datetime import date, timedelta
from functools import cache

FIRST_DAY = date(2024, 1, 2)
LAST_DAY = date(2026, 2, 27)
"""The last trading day, a Friday; the simulated clock is set to a moment after it."""

_HORIZON = date(2026, 12, 31)
_CLOSED = frozenset(
    first + timedelta(days=back)
    for first, count in (
        (date(2024, 2, 9), 9),
        (date(2024, 5, 1), 5),
        (date(2024, 10, 1), 7),
        (date(2025, 1, 28), 8),
        (date(2025, 5, 1), 5),
        (date(2025, 10, 1), 8),
        (date(2026, 1, 1), 3),
        (date(2026, 2, 16), 8),
        (date(2026, 4, 6), 1),
        (date(2026, 5, 1), 5),
        (date(2026, 6, 19), 1),
        (date(2026, 9, 25), 1),
        (date(2026, 10, 1), 7),
    )
    for back in range(count)
)
_SHORT_HOLIDAYS = frozenset(
    {
        date(2024, 4, 4),
        date(2024, 4, 5),
        date(2024, 6, 10),
        date(2024, 9, 16),
        date(2024, 9, 17),
        date(2025, 1, 1),
        date(2025, 4, 4),
        date(2025, 6, 2),
    }
)
"""Days on which the market is closed while values move: the next trading day shows it."""


def is_trading_day(day: date) -> bool:
    """Return whether the market trades: on weekdays that are not holidays."""
    return day.weekday() < 5 and day not in _CLOSED | _SHORT_HOLIDAYS


@cache
def past() -> tuple[date, ...]:
    """Return every trading day with prices, oldest first."""
    return tuple(trading_days(FIRST_DAY, LAST_DAY))


@cache
def moving() -> tuple[date, ...]:
    """Return every day on which values move, oldest first: the trading days with prices and the short holidays."""
    return tuple(sorted({*past(), *_SHORT_HOLIDAYS}))


def trading_days(first: date, last: date) -> list[date]:
    """Return the trading days of a range, both ends included; days after 2026 are unknown."""
    count = (min(last, _HORIZON) - first).days + 1
    return [day for day in (first + timedelta(days=back) for back in range(count)) if is_trading_day(day)]


def months_before(months: int) -> date:
    """Return the day ``months`` before the last trading day, or the last day of that month if it is shorter."""
    years, month = divmod(LAST_DAY.month - 1 - months, 12)
    year, month = LAST_DAY.year + years, month + 1
    next_month = date(year + month // 12, month % 12 + 1, 1)
    return min(date(year, month, 1) + timedelta(days=LAST_DAY.day - 1), next_month - timedelta(days=1))
