"""Dates and times as people write them: ``April 3, 2024``, ``2024-04-03``, ``3.4.2024``, ``15:39:04``, ``3:39 PM``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_YEAR = "january february march april may june july august september october november december"
_MONTHS = _YEAR.split()
_MONTH = r"(?P<month>" + "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS) + r"|sept\.?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?\b(?!\d)",
        rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b",
        r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
    )
)
_AMBIGUOUS = re.compile(r"(?<![\d/.])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?![\d/])")
_TIME = re.compile(
    r"(?<![\d:+])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[ap]\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
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
        """Whether both are one day, as far as both say."""
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
        """Whether both are one time, as far as both say."""
        same_second = None in (self.second, other.second) or self.second == other.second
        return same_second and (self.hour, self.minute) == (other.hour, other.minute)


def dates(text: str) -> tuple[Date, ...]:
    """All dates of a plain text; ``3/4/2024`` is read both ways."""
    return tuple(date for date in (*_clear(text), *_both_ways(text)) if 1 <= date.month <= 12 and 1 <= date.day <= 31)


def times(text: str) -> tuple[Time, ...]:
    """All times of a plain text that have minutes or say am or pm."""
    return tuple(_times(text))


def _clear(text: str) -> Iterator[Date]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            year = match["year"]
            yield Date(
                _month(match["month"]), int(match["day"]), int(year) if year else None, match.group(), match.start()
            )


def _both_ways(text: str) -> Iterator[Date]:
    for match in _AMBIGUOUS.finditer(text):
        first, second, year = map(int, match.groups())
        for month, day in {(first, second), (second, first)}:
            yield Date(month, day, year, match.group(), match.start())


def _times(text: str) -> Iterator[Time]:
    for match in _TIME.finditer(text):
        if match["minute"] is None and match["half"] is None:
            continue
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        if match["half"]:
            hour = hour % 12 + (12 if match["half"].lower().startswith("p") else 0)
        if hour < 24 and minute < 60:
            second = int(match["second"]) if match["second"] else None
            yield Time(hour, minute, second, match.group().strip(), match.start())


def _month(written: str) -> int:
    if written.isdecimal():
        return int(written)
    return next(number for number, name in enumerate(_MONTHS, 1) if name.startswith(written.lower()[:3]))
