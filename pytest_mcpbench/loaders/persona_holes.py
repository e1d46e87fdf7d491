"""Values that reference calls of MCP-Persona leave open: moments such as ``<timestamp_for_now>``, and others."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any

from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.text.json_reading import texts_in
from pytest_mcpbench.text.vocabulary import weekday_names

_DAYS = weekday_names("en")
_RELATIVE_DAYS: Mapping[str, int] = {"yesterday": -1, "today": 0, "tomorrow": 1, "day_after_tomorrow": 2}
_MOMENT = re.compile(r"<(?:unix_)?timestamp_(?:for|of|at)_(\w+)>")
_DISTANCE = re.compile(r"(\d+)_(minute|hour|day|week)s?_(later|from_now|ago|before)")
_DAY = re.compile(rf"(?:(next|this)_)?({'|'.join((*_DAYS, *reversed(list(_RELATIVE_DAYS))))})(?:_(?:at_)?(\w+))?")
_TIME_OF_DAY = re.compile(r"(\d{1,2})(?:_?(\d{2}))?_?(am|pm)?")
_HOLE = re.compile(r"<[^<>@#!/\s][^<>]*>")
_NAMED_HOLE = re.compile(r"<\w+_\w+>")
_ABBREVIATED = re.compile(r"…|[\[{].*….*[\]}]", re.DOTALL)


def fill_moments(call: ExpectedCall, now: datetime) -> ExpectedCall:
    """Return the call with its moments as Unix seconds, reckoned from ``now``; unknown ones stay as they are."""
    arguments = {name: _fill(value, now) for name, value in call.arguments.items()}
    return call.model_copy(update={"arguments": arguments})


def find_holes(call: ExpectedCall) -> Iterator[str]:
    """Yield the values that a call leaves open: text in angle brackets, and text that ``…`` abbreviates."""
    for text in texts_in(call.arguments):
        without_results = PLACEHOLDER.sub("", text)
        if _ABBREVIATED.fullmatch(text.strip()):
            yield text
        elif _HOLE.fullmatch(without_results.strip()):
            yield without_results.strip()
        else:
            yield from _NAMED_HOLE.findall(without_results)


def parse_moment(words: str, now: datetime) -> datetime | None:
    """Return the moment of ``now``, ``7_days_later``, ``tomorrow_9am`` or ``next_monday_14_30``; ``None`` if unknown.

    ``next`` means the following week, which begins on Monday, as in Chinese; a day without a time of day begins at
    midnight in the time zone of ``now``.
    """
    if words in ("now", "current_time", "current"):
        return now
    if distance := _DISTANCE.fullmatch(words):
        count, unit, direction = distance.groups()
        step = timedelta(**{f"{unit}s": int(count)})
        return now - step if direction in ("ago", "before") else now + step
    day = _DAY.fullmatch(words)
    if day is None:
        return None
    which, name, clock = day.groups()
    time_of_day = time() if clock is None else _time_of_day(clock)
    if time_of_day is None:
        return None
    if name in _RELATIVE_DAYS:
        days = _RELATIVE_DAYS[name]
    else:
        days = _DAYS[name] - now.weekday()
        if which == "next":
            days += 7
        elif which != "this":
            days = days % 7 or 7
    return datetime.combine(now.date() + timedelta(days=days), time_of_day, now.tzinfo)


def _time_of_day(clock: str) -> time | None:
    found = _TIME_OF_DAY.fullmatch(clock)
    if found is None:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
    if minute > 59 or hour > (12 if half else 23):
        return None
    return time(hour % 12 + (12 if half == "pm" else 0) if half else hour, minute)


def _fill(value: Any, now: datetime) -> Any:
    if isinstance(value, dict):
        return {name: _fill(item, now) for name, item in value.items()}
    if isinstance(value, list):
        return [_fill(item, now) for item in value]
    return _MOMENT.sub(lambda found: _seconds(found, now), value) if isinstance(value, str) else value


def _seconds(found: re.Match[str], now: datetime) -> str:
    moment = parse_moment(found[1].lower(), now)
    return found[0] if moment is None else str(int(moment.timestamp()))
