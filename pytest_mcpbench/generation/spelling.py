"""Spellings of values in free text: dates, times, numbers, units and short choices."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.metrics.comparison.arguments import is_number
from pytest_mcpbench.text.moments import long_date
from pytest_mcpbench.text.vocabulary import english_month

_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def day(iso: str | date) -> tuple[str, ...]:
    """Return the accepted spellings of a date: for ``2026-03-05`` also 5 March, March 5th, 3月5日 and so on."""
    on = iso if isinstance(iso, date) else date.fromisoformat(iso)
    ordinal = f"{on.day}{_ENDINGS.get(on.day, 'th')}"
    whole = english_month(on.month)
    english = [
        text
        for month in (whole, whole[:3])
        for text in (
            *(f"{number} {month}" for number in (on.day, f"{on.day:02}", ordinal)),
            *(f"{month} {number}" for number in (on.day, f"{on.day:02}", ordinal)),
        )
    ]
    numbers = (
        f"{on.day}/{on.month}",
        f"{on.day:02}/{on.month:02}",
        f"{on.month}/{on.day}",
        f"{on.month:02}/{on.day:02}",
    )
    german = (f"{on.day}.{on.month}", f"{on.day:02}.{on.month:02}")
    return (
        *english,
        f"the {ordinal} of {whole}",
        on.isoformat(),
        f"{on.month}月{on.day}日",
        f"{on.month}月{on.day}号",
        *numbers,
        *german,
    )


def clock(text: str) -> tuple[str, ...]:
    """Return the accepted spellings of a time of day: for ``14:00`` also 2 pm and so on."""
    at = time.fromisoformat(text)
    hour, half = at.hour % 12 or 12, "pm" if at.hour >= 12 else "am"
    minutes = f":{at.minute:02}" if at.minute else ""
    dotted = f"{half[0]}.m."
    twelve = [
        f"{hour}{more}{gap}{ending}"
        for more in {minutes, f":{at.minute:02}"}
        for gap in ("", " ")
        for ending in (half, dotted)
    ]
    after = {0: ("",), 30: ("半", "30", "30分")}.get(
        at.minute, (f"{at.minute:02}", f"{at.minute}分", f"{at.minute:02}分")
    )
    chinese = (f"{number_of}点{more}" for number_of in dict.fromkeys((at.hour, hour)) for more in after)
    return (
        text,
        f"{at.hour}:{at.minute:02}",
        f"{at.hour:02}.{at.minute:02}",
        f"{at.hour:02}：{at.minute:02}",
        *sorted(twelve),
        *chinese,
    )


def number(value: int) -> tuple[str, ...]:
    """Return the accepted spellings of an integer, with and without thousands separators."""
    ways = (str(value), f"{value:,}", f"{value:,}".replace(",", " "), f"{value:,}".replace(",", "."))
    thousands = (f"{value // 1000}k",) if value % 1000 == 0 and value else ()
    return tuple(dict.fromkeys((*ways, *thousands)))


_SPELLINGS: Mapping[str, Callable[[str], tuple[str, ...]]] = MappingProxyType(
    {"day": day, "clock": clock, "number": lambda text: number(int(text))}
)


def spellings(written: Any, more: Mapping[str, Callable[[str], tuple[str, ...]]] = MappingProxyType({})) -> list[str]:
    """Return the accepted spellings of a fact, which is one spelling or a list of them.

    ``day:2026-03-05``, ``clock:14:00`` and ``number:1667`` stand for all usual ones; ``more`` has further kinds.
    """
    known = {**_SPELLINGS, **more}
    forms: list[str] = []
    for each in written if isinstance(written, list | tuple) else [written]:
        kind, colon, value = str(each).partition(":")
        forms += known[kind](value) if colon and kind in known else [str(each)]
    return forms


def spoken_moment(text: str) -> str | None:
    """Return date and time of an ISO 8601 text as people write them; ``None`` for any other text."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::(?!00)\d\d)?)(?::00)?(?:Z|\+00:00)?", text)
    return f"{found[1]} {found[2]}" if found else None


def spoken_day(text: str) -> str | None:
    """Return a date in ISO 8601 as people write it, such as `6 March 2026`; ``None`` for any other text."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return None
    try:
        on = date.fromisoformat(text)
    except ValueError:
        return None
    return long_date(on)


_OF_A_MONTH = frozenset({"month", "start", "end", "birth"})
"""Words of a month of the calendar; `day_of_month`, `price_per_month` and `lunar_month` are none."""


def month_name(name: Sequence[str], value: Any) -> str | None:
    """Return the name of a month that a number stands for, by the words of its parameter; otherwise ``None``."""
    is_month = "month" in name and _OF_A_MONTH.issuperset(name) and is_number(value) and value in range(1, 13)
    return english_month(int(value)) if is_month else None


_SHORT_CHOICES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"asc": ("ascending", "desc"), "desc": ("descending", "asc"), "med": ("medium", "high")}
)
"""Choice -> the word that it is short for, and the other choice by which it is known."""


def whole_word(value: Any, values: Sequence[Any], description: str) -> str | None:
    """Return the word that a choice such as `med` is short for; ``None`` for any other value.

    Args:
        value: The value.
        values: All values that its parameter may have; empty if the schema does not say.
        description: Descriptions of the parameter and of its tool, which may name the values: `high/med/low`.
    """
    if not isinstance(value, str) or value not in _SHORT_CHOICES:
        return None
    word, other = _SHORT_CHOICES[value]
    is_choice = value in values or {value, other} <= set(re.findall(r"\w+", description))
    return word if is_choice else None


def spoken_zone(text: str) -> str | None:
    """Return the city of a time zone such as `America/New_York`; ``None`` for any other text."""
    found = re.fullmatch(r"(?:Africa|America|Asia|Australia|Europe|Pacific)/([A-Z][A-Za-z_]+)", text)
    return found[1].replace("_", " ") if found else None


_WITHOUT_PLURAL = frozenset({"kelvin", "hertz", "psi", "horsepower"})
_IN_DEGREES = frozenset({"celsius", "fahrenheit"})


def plural_unit(unit: str) -> str:
    """Return a unit as a person says it after a number: ``miles per hour``, ``square feet``, ``degrees celsius``."""
    if unit.casefold() in _IN_DEGREES:
        return f"degrees {unit}"
    head, per, rest = unit.partition(" per ")
    if not re.fullmatch(r"[A-Za-z]{3,}(?:[ -][A-Za-z]{3,})*", head) or head.split()[-1].casefold() in _WITHOUT_PLURAL:
        return unit
    if re.search(r"(?i)\w force$", head):
        return f"{plural_unit(head[:-6])} force"
    if re.search(r"(?i)\bfoot$", head):
        return f"{head[:-4]}feet{per}{rest}"
    ending = "" if head.endswith("s") else "es" if head.endswith(("ch", "x")) else "s"
    return f"{head}{ending}{per}{rest}"
