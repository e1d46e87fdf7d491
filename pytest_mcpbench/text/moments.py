"""Dates and times of one kind of text: parsed, and compared as moments."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

_MILLISECONDS_FROM = 1e11
_LAST_MINUTE = timedelta(minutes=1)
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


def same_iso_moment(left: str, right: str) -> bool:
    """Return whether two ISO 8601 texts with date and time are the same moment, as :func:`same_moment` has it."""
    first, second = parse_iso(left), parse_iso(right)
    return first is not None and second is not None and same_moment(first, second)


def parse_iso(text: str) -> datetime | None:
    """Parse a date and time in ISO 8601; return ``None`` for any other text."""
    if not _ISO.match(text):
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def ends_same_day(expected: datetime, actual: datetime, zone: tzinfo | None = None) -> bool:
    """Return whether both times end one day: 23:59, 23:59:59 or the next midnight, where 23:59:59 is expected."""
    if (expected.hour, expected.minute, expected.second) != (23, 59, 59):
        return False
    midnight = expected.replace(microsecond=0) + timedelta(seconds=1)
    return any(same_moment(midnight - early, actual, zone) for early in (timedelta(), _LAST_MINUTE))


def parse_datetime(value: Any) -> datetime | None:
    """Parse a date and time (a date alone as its midnight); return ``None`` for other values."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    return _parse_text(value) if isinstance(value, str) and re.search(r"\d", value) else None


def _from_epoch(value: float) -> datetime | None:
    try:
        seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _parse_text(text: str) -> datetime | None:
    # Imported here: 25 ms that only dates need.
    from dateutil import parser
    from dateutil.tz import tzoffset

    def zone(name: str | None, offset: int | None) -> Any:
        return None if offset is None else tzoffset(name, offset)

    try:
        # The default and the zones are fixed: what a text leaves out must not depend on when and where it is read.
        return parser.parse(text.strip(), default=datetime(2000, 1, 1), tzinfos=zone)
    except (ValueError, ArithmeticError, TypeError):
        return None
