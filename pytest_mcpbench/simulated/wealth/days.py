"""The days on which the invented market trades."""

from datetime import date, timedelta
from functools import cache

FIRST_DAY = date(2024, 1, 2)
LAST_DAY = date(2026, 2, 27)
"""The last day of trading before the clock of the worlds: a Friday."""

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


def is_trading(day: date) -> bool:
    """Whether the market trades: on weekdays that are no holiday."""
    return day.weekday() < 5 and day not in _CLOSED


@cache
def past() -> tuple[date, ...]:
    """Every trading day with prices, oldest first."""
    return tuple(trading(FIRST_DAY, LAST_DAY))


def trading(first: date, last: date) -> list[date]:
    """The trading days of a range, both ends included; nothing is known beyond 2026."""
    count = (min(last, _HORIZON) - first).days + 1
    return [day for day in (first + timedelta(days=back) for back in range(count)) if is_trading(day)]


def months_before(months: int) -> date:
    """The day so many months before the last day of trading; the last of its month where that is shorter."""
    years, month = divmod(LAST_DAY.month - 1 - months, 12)
    year, month = LAST_DAY.year + years, month + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return min(date(year, month, 1) + timedelta(days=LAST_DAY.day - 1), following - timedelta(days=1))
