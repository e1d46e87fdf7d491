"""Start times of a recurring event's occurrences."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import takewhile
from typing import Any, Literal

from dateutil.rrule import DAILY, FR, MO, MONTHLY, SA, SU, TH, TU, WE, WEEKLY, YEARLY, rrule

_FREQUENCIES: tuple[Literal[3, 2, 1, 0], ...] = (DAILY, WEEKLY, MONTHLY, YEARLY)
"""Frequencies of ``dateutil``, indexed by EventKit's numbers, which start at 0."""

_DAYS = (SU, MO, TU, WE, TH, FR, SA)
"""Weekdays of ``dateutil``, in the order of EventKit's numbers, which start at 1."""


def occurrences(first: datetime, rule: Mapping[str, Any] | None, until: datetime) -> Iterable[datetime]:
    """Return the start times of an event's occurrences up to and including ``until``; without a rule, only ``first``.

    Times are wall-clock times in the calendar's time zone: a meeting at nine stays at nine when daylight saving time
    begins. The rule is ``{frequency: 0 daily … 3 yearly, interval, end_date, occurrence_count, days_of_week: [1 Sunday
    … 7 Saturday]}``; ``end_date`` is the last moment at which an occurrence may start.
    """
    if rule is None:
        return (first,) if first <= until else ()
    end = rule.get("end_date")
    starts = rrule(
        _FREQUENCIES[rule["frequency"]],
        dtstart=first,
        interval=rule.get("interval") or 1,
        count=rule.get("occurrence_count"),
        byweekday=[_DAYS[day - 1] for day in rule.get("days_of_week") or ()] or None,
        until=datetime.fromisoformat(end) if end else None,
    )
    return takewhile(lambda start: start <= until, starts)
