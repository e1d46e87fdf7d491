"""Parser for dates, times, durations and numbers as people write them, relative to a frozen clock."""

import re
from datetime import date, datetime, time, timedelta

from dateutil import parser
from dateutil.relativedelta import relativedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_AHEAD = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "今天": 0, "明天": 1, "后天": 2, "昨天": -1}
_NUMBERS = {
    **{"a": 1, "an": 1, "half": 0.5, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30},
    **{"sixty": 60, "ninety": 90},
}
_IN_SOME_DAYS = re.compile(r"in\s+(\w+)\s+(day|week|month)s?", re.IGNORECASE)
_DURATION = re.compile(
    r"((?<!\d)\d+(?:\.\d+)?|half|(?<![a-z])[a-z]+)[\s-]+(?:an?\s+)?(hour|hr|minute|min)s?", re.IGNORECASE
)
_CHINESE = re.compile(r"(\d{4})年(\d\d?)月(\d\d?)[日号]")


def parse_number(word: str) -> float | None:
    """Return a number from digits, with or without thousands separators, or from an English word."""
    if word.lower() in _NUMBERS:
        return float(_NUMBERS[word.lower()])
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return None


def parse_day(text: str, now: datetime | None) -> datetime | date | None:
    """Return the day, with its time if the text has one.

    ``None`` if the text is no day, if the day is relative and there is no clock, or if no calendar has it.
    """
    text = text.strip().lower()
    try:
        return _day(text, now)
    except (ValueError, OverflowError):
        return None


def _day(text: str, now: datetime | None) -> datetime | date | None:
    if match := _CHINESE.fullmatch(text):
        return date(*map(int, match.groups()))
    return _relative_day(text, now.date()) if now and _is_relative(text) else _parse_absolute_day(text, now)


def parse_time(text: str) -> time | None:
    """Return the time of day of texts such as ``3pm``, ``14:30`` and ``noon``."""
    text = text.strip().lower().replace(".", "")
    words = {"noon": time(12), "midnight": time(0)}
    if text in words:
        return words[text]
    try:
        return parser.parse(text, default=datetime(2000, 1, 1)).time()
    except (ValueError, OverflowError):
        return None


def parse_duration(text: str) -> timedelta | None:
    """Return the length of texts such as ``30 minutes``, ``an hour`` and ``half an hour``."""
    match = _DURATION.search(text)
    amount = parse_number(match[1]) if match else None
    if match is None or amount is None:
        return None
    try:
        return timedelta(hours=amount) if match[2].lower().startswith("h") else timedelta(minutes=amount)
    except OverflowError:
        return None


def _is_relative(text: str) -> bool:
    return (
        text in _DAYS_AHEAD
        or "after tomorrow" in text
        or bool(_IN_SOME_DAYS.fullmatch(text))
        or _weekday(text) is not None
    )


def _relative_day(text: str, today: date) -> date | None:
    if text in _DAYS_AHEAD:
        return today + timedelta(days=_DAYS_AHEAD[text])
    if "after tomorrow" in text:
        return today + timedelta(days=2)
    if match := _IN_SOME_DAYS.fullmatch(text):
        return _add_units(today, int(parse_number(match[1]) or 1), match[2].lower())
    weekday = _weekday(text)
    if weekday is None:
        return None
    # "Friday" and "next Friday" mean the coming Friday, never today.
    if text.startswith("last"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _add_units(today: date, amount: int, unit: str) -> date:
    if unit == "month":
        return today + relativedelta(months=amount)
    return today + timedelta(days=amount * (7 if unit == "week" else 1))


def _weekday(text: str) -> int | None:
    """Return the number of the weekday that ends the text (``next Friday``), from Monday = 0."""
    last = next(reversed(text.split()), "")
    return _WEEKDAYS.index(last) if last in _WEEKDAYS else None


def _parse_absolute_day(text: str, now: datetime | None) -> datetime | date | None:
    has_year = re.search(r"\d{4}", text)
    if not has_year and now is None:
        return None
    day = parser.parse(text, default=datetime((now.year if now else 2000), 1, 1))
    return day if re.search(r"\d:\d", text) else day.date()
