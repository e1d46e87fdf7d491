"""Parsing of the due times of reminders, in the notations that Slack understands."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from pytest_mcpbench.simulated.engine import ToolFailure

_UNREADABLE = "cannot_parse"
_PAST = "time_in_past"
_LONGEST_SECONDS = 86_400
_MORNING = 9
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS: Mapping[str, timedelta] = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_IN = re.compile(r"in (\d{1,4}|an?) (second|minute|hour|day|week)s?")
_AT = re.compile(r"(?:at )?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?")
_DATE = re.compile(r"(?:on )?(\d{4})-(\d{2})-(\d{2})")
_NUMBER = re.compile(r"\d{1,11}(?:\.0+)?")


class Due(NamedTuple):
    """A moment and whether it recurs."""

    moment: datetime
    recurring: bool


def due(text: str, now: datetime) -> Due:
    """Parse the due time of a reminder.

    It is a Unix time, a number of seconds from now (at most a day), or words such as ``in 15 minutes``, ``tomorrow at
    2pm``, ``every thursday at 9:30``, ``friday``, ``daily`` and ``on 2026-03-05 at 10:00``. Words are in the time zone
    of ``now``; a day without a time of day means nine in the morning.
    """
    words = " ".join(text.lower().replace(",", " ").split())
    if not words:
        raise ToolFailure(_UNREADABLE)
    if _NUMBER.fullmatch(words):
        return Due(_from_number(int(float(words)), now), recurring=False)
    recurring = words.startswith("every ") or words in ("daily", "weekly")
    return Due(_from_words(words.removeprefix("every ") or "every", now), recurring)


def _from_number(number: int, now: datetime) -> datetime:
    if number <= _LONGEST_SECONDS:
        return now + timedelta(seconds=number)
    moment = datetime.fromtimestamp(number, now.tzinfo)
    if moment <= now:
        raise ToolFailure(_PAST)
    return moment


def _from_words(words: str, now: datetime) -> datetime:
    if match := _IN.fullmatch(words):
        count = 1 if match[1].startswith("a") else int(match[1])
        return now + count * _UNITS[match[2]]
    day, rest = _day(words, now)
    moment = _at(rest, day)
    if moment > now:
        return moment
    if day.date() == now.date() and not words.startswith("today"):
        return moment + timedelta(days=7 if words.split()[0] in _DAYS else 1)
    raise ToolFailure(_PAST)


def _day(words: str, now: datetime) -> tuple[datetime, str]:
    """Return the day at the beginning of the words, by default today, and the remaining words."""
    if match := _DATE.match(words):
        return _date(match, now), words[match.end() :].strip()
    first, _, rest = words.removeprefix("on ").removeprefix("next ").partition(" ")
    if first in _DAYS:
        ahead = (_DAYS.index(first) - now.weekday()) % 7
        return now + timedelta(days=ahead or (7 if words.startswith("next ") else 0)), rest
    days = {"today": 0, "tomorrow": 1, "daily": 0, "day": 0, "weekly": 7, "week": 7}
    if first in days:
        return now + timedelta(days=days[first]), rest
    return now, words


def _date(match: "re.Match[str]", now: datetime) -> datetime:
    try:
        return now.replace(year=int(match[1]), month=int(match[2]), day=int(match[3]))
    except ValueError:
        raise ToolFailure(_UNREADABLE) from None


def _at(words: str, day: datetime) -> datetime:
    if not words:
        return day.replace(hour=_MORNING, minute=0, second=0, microsecond=0)
    match = _AT.fullmatch(words)
    if not match:
        raise ToolFailure(_UNREADABLE)
    hour = int(match[1]) % 12 + 12 * (match[3] == "pm") if match[3] else int(match[1])
    try:
        return day.replace(hour=hour, minute=int(match[2] or 0), second=0, microsecond=0)
    except ValueError:
        raise ToolFailure(_UNREADABLE) from None
