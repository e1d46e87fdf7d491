"""Dates and times as people write them: ``April 3, 2024``, ``2024-04-03``, ``3.4.2024``, ``15:39:04``, ``3:39 PM``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    )
    for number, name in enumerate(names.split(), 1)
} | {"sept": 9}
_MONTH = rf"(?P<month>(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_TO = r"\s?(?:to|until|till|through|and|bis|und|au|et|-)\s?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        rf"\b{_MONTH}\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?\b(?!\d|:|,\d{{3}}|\.\d)",
        rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        # The first day of a range: the month is written behind the last day.
        rf"\b{_DAY}(?={_TO}\d{{1,2}}(?:st|nd|rd|th|\.)?\s+{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?\b)",
    )
)
_AMBIGUOUS = re.compile(r"(?<![\d/.])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?![\d/])")
_TIME = re.compile(
    r"(?<![\d:+])(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?\s?(?P<half>[ap]\.?m\b\.?)?(?![\d:])",
    re.IGNORECASE,
)
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
    return tuple(date for date in (*_clear(text), *_both_ways(text)) if 1 <= date.month <= 12 and 1 <= date.day <= 31)


def times(text: str) -> tuple[Time, ...]:
    """Return all times of a plain text that have minutes or am or pm."""
    return (*_times(text), *_french_times(text), *_chinese_times(text))


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
        for month, day in sorted({(first, second), (second, first)}):
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


def _french_times(text: str) -> Iterator[Time]:
    for match in _FRENCH_TIME.finditer(text):
        if int(match["hour"]) < 24:
            yield Time(int(match["hour"]), int(match["minute"]), None, match.group(), match.start())


def _chinese_times(text: str) -> Iterator[Time]:
    for match in _CHINESE_TIME.finditer(text):
        hour = int(match["hour"]) % 24
        is_afternoon = match["half"] in ("下午", "晚上") and hour < 12
        minute = 30 if match["thirty"] else int(match["minute"] or 0)
        if minute < 60:
            yield Time(hour + 12 * is_afternoon, minute, None, match.group(), match.start())


def _month(written: str) -> int:
    return int(written) if written.isdecimal() else _MONTHS[written.lower().rstrip(".")]
