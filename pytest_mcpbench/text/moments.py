"""Moments: dates, times of day and their zones, in whole texts and within prose.

``parse_datetime`` and ``same_moment`` read and compare values that are a date or a time and nothing else, such as
arguments of calls; ``dates`` and ``times`` find those that a sentence states. Names of months are data
(:mod:`pytest_mcpbench.text.vocabulary`).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pytest_mcpbench.text.late_pattern import late_pattern
from pytest_mcpbench.text.vocabulary import english_month, month_names


def long_date(day: date) -> str:
    """Return a date in words, such as `6 March 2026`, in English whatever the locale is."""
    return f"{day.day} {english_month(day.month)} {day.year}"


# Texts and numbers that are one moment.

_MILLISECONDS_FROM = 1e11
_LAST_SECOND, _LAST_MINUTE = timedelta(seconds=1), timedelta(minutes=1)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")


def same_moment(left: datetime, right: datetime, zone: tzinfo | None = None) -> bool:
    """Return whether two times are the same moment.

    A time without an offset is one of ``zone``; if no zone is known, clock times are compared.
    """
    if zone is not None:
        left, right = (each if each.tzinfo else each.replace(tzinfo=zone) for each in (left, right))
    if left.tzinfo is None or right.tzinfo is None:
        return left.replace(tzinfo=None) == right.replace(tzinfo=None)
    return left == right


def time_zone(name: str) -> tzinfo | None:
    """Return the time zone of an IANA name such as ``Europe/Berlin``; ``None`` for an empty name.

    Raises:
        ValueError: there is no zone of that name.
    """
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"{name!r} is not a time zone; give its IANA name, such as 'Europe/Berlin'") from None


def same_time(expected: str, actual: str, zone: tzinfo | None = None) -> bool:
    """Return whether two ISO 8601 texts with date and time are one moment or end the same day.

    Without a ``zone``, a text with an offset and one without are never the same.
    """
    first, second = parse_iso(expected), parse_iso(actual)
    if first is None or second is None or (zone is None and (first.tzinfo is None) != (second.tzinfo is None)):
        return False
    return same_moment(first, second, zone) or end_same_day(first, second, zone)


def parse_iso(text: str) -> datetime | None:
    """Parse a date and time in ISO 8601; return ``None`` for any other text."""
    if not _ISO.match(text):
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def end_same_day(left: datetime, right: datetime, zone: tzinfo | None = None) -> bool:
    """Return whether both times end one day: one within its last second, the other there, at 23:59 or at midnight."""
    return _ends_day_of(left, right, zone) or _ends_day_of(right, left, zone)


def _ends_day_of(last_second: datetime, other: datetime, zone: tzinfo | None) -> bool:
    if (last_second.hour, last_second.minute, last_second.second) != (23, 59, 59):
        return False
    midnight = last_second.replace(microsecond=0) + timedelta(seconds=1)
    early = (timedelta(), _LAST_SECOND, _LAST_MINUTE)
    return any(same_moment(midnight - each, other.replace(microsecond=0), zone) for each in early)


def parse_date(text: str) -> date | None:
    """Parse a text that is one day, such as ``2026-03-05`` or ``5 March 2026``; return ``None`` for any other."""
    found = [each for each in dates(text.strip()) if each.text == text.strip() and each.year is not None]
    try:
        return date(found[0].year or 1, found[0].month, found[0].day) if len(found) == 1 else None
    except ValueError:  # such as 31 April
        return None


def looks_like_moment(text: str) -> bool:
    """Return whether a text has a date or a time in it, and little else."""
    return len(text) <= _LONGEST_MOMENT and _DATE_OR_TIME.search(text) is not None


def parse_datetime(value: Any) -> datetime | None:
    """Parse a date and time (a date alone as its midnight); return ``None`` for other values."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        try:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    if not isinstance(value, str) or not re.search(r"\d", value):
        return None
    # Imported here: 25 ms that only dates need.
    from dateutil import parser
    from dateutil.tz import tzoffset

    def zone(name: str | None, offset: int | None) -> Any:
        return None if offset is None else tzoffset(name, offset)

    try:
        # The default and the zones are fixed: what a text leaves out must not depend on when and where it is read.
        return parser.parse(value.strip(), default=datetime(2000, 1, 1), tzinfos=zone)
    except (ValueError, ArithmeticError, TypeError):
        return None


# Dates and times as people write them within prose: ``April 3, 2024``, ``3.4.2024``, ``15:39:04``, ``3:39 PM``.

_MONTHS = month_names()
_MONTH = rf"(?P<month>(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?)"
_ENGLISH_MONTH = rf"(?:{'|'.join(month_names('en'))})[a-z]*"
_DATE_OR_TIME = late_pattern(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}|\d{1,4}/\d{1,2}/\d{1,4}"
    rf"|\b{_ENGLISH_MONTH}\.? \d|\d {_ENGLISH_MONTH}",
    re.IGNORECASE,
)
_LONGEST_MOMENT = 60
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_TO = r"\s?(?:to|until|till|through|and|bis|und|au|et|-)\s?"
_DATES = tuple(
    late_pattern(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?\b(?!\d|:|,\d{{3}}|\.\d)",
        rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]",
        # The first day of a range: the month is written behind the last day.
        rf"\b{_DAY}(?={_TO}\d{{1,2}}(?:st|nd|rd|th|\.)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b)",
    )
)
_AMBIGUOUS = re.compile(r"(?<![\d/.])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?![\d/])")
_TIME = re.compile(
    r"(?<![\d:+])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[ap]\.?m\b\.?|noon\b)?(?![\d:])",
    re.IGNORECASE,
)
_NOON = re.compile(r"(?<!\d)(?<!\d\s)\bnoon\b", re.IGNORECASE)
_FRENCH_TIME = re.compile(r"(?<!\d)(?P<hour>\d{1,2})h(?P<minute>[0-5]\d)(?!\d)")
_CHINESE_TIME = re.compile(
    r"(?P<half>上午|早上|下午|晚上)?(?P<hour>\d{1,2})[点點时](?:(?P<minute>\d{1,2})分|(?P<thirty>半))?"
)


@dataclass(frozen=True)
class Date:
    """A day of the calendar; without a year it is that day of any year."""

    month: int
    day: int
    year: int | None
    text: str
    start: int

    def is_met_by(self, other: "Date") -> bool:
        """Return whether both are the same day; a year that only one of them has is ignored."""
        same_year = None in (self.year, other.year) or self.year == other.year
        return same_year and (self.month, self.day) == (other.month, other.day)


@dataclass(frozen=True)
class Time:
    """A time of day; without seconds it is any second of that minute."""

    hour: int
    minute: int
    second: int | None
    text: str
    start: int

    def is_met_by(self, other: "Time") -> bool:
        """Return whether both are the same time; seconds that only one of them has are ignored."""
        same_second = None in (self.second, other.second) or self.second == other.second
        return same_second and (self.hour, self.minute) == (other.hour, other.minute)


def dates(text: str) -> tuple[Date, ...]:
    """Return all dates of a plain text; ``3/4/2024`` is read both ways."""
    found: list[Date] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            name = match["month"]
            number = int(name) if name.isdecimal() else _MONTHS[name.lower().rstrip(".")]
            written_year = int(match["year"]) if match["year"] else None
            found.append(Date(number, int(match["day"]), written_year, match.group(), match.start()))
    for match in _AMBIGUOUS.finditer(text):
        first, second, year = map(int, match.groups())
        for month, day in sorted({(first, second), (second, first)}):
            found.append(Date(month, day, year, match.group(), match.start()))
    return tuple(date for date in found if 1 <= date.month <= 12 and 1 <= date.day <= 31)


def times(text: str) -> tuple[Time, ...]:
    """Return all times of a plain text that have minutes or am or pm, and noon."""
    found: list[Time] = []
    for match in _TIME.finditer(text):
        if match["minute"] is None and match["half"] is None:
            continue
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        if match["half"]:
            hour = hour % 12 + (12 if match["half"].lower().startswith(("p", "n")) else 0)
        if hour < 24 and minute < 60:
            second = int(match["second"]) if match["second"] else None
            found.append(Time(hour, minute, second, match.group().strip(), match.start()))
    found += [Time(12, 0, None, match.group(), match.start()) for match in _NOON.finditer(text)]
    for match in _FRENCH_TIME.finditer(text):
        if int(match["hour"]) < 24:
            found.append(Time(int(match["hour"]), int(match["minute"]), None, match.group(), match.start()))
    for match in _CHINESE_TIME.finditer(text):
        hour = int(match["hour"]) % 24
        is_afternoon = match["half"] in ("下午", "晚上") and hour < 12
        minute = 30 if match["thirty"] else int(match["minute"] or 0)
        if minute < 60:
            found.append(Time(hour + 12 * is_afternoon, minute, None, match.group(), match.start()))
    return tuple(found)
