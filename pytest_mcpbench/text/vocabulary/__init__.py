"""Words and signs for months, weekdays, numbers and units, by language.

The TOML files beside this module hold them: ``en``, ``de``, ``fr`` and ``zh`` what one language writes, ``any`` what
several share, ``units`` the units themselves. All words are casefolded.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LANGUAGES = ("any", "en", "de", "fr", "zh")
_TABLES: Mapping[str, Mapping[str, Any]] = {
    name: tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    for name in ("units", *LANGUAGES)
}


@dataclass(frozen=True)
class Unit:
    """A unit or a currency: what it measures, and its size in the first unit of that dimension."""

    dimension: str
    factor: float


def numbers_of(table: str, *languages: str) -> dict[str, float]:
    """Return the words of a table, such as ``numbers``, ``ordinals`` or ``scales``, with their values."""
    return {
        word: float(value)
        for language in languages or LANGUAGES
        for word, value in _TABLES[language].get(table, {}).items()
    }


def month_names(*languages: str) -> dict[str, int]:
    """Return names and abbreviations of months with their numbers from 1."""
    return {
        name: number
        for language in languages or LANGUAGES
        for number, names in enumerate(_TABLES[language].get("months", ()), 1)
        for name in names
    }


def english_month(number: int) -> str:
    """Return the English name of a month from 1, whatever the locale is."""
    return next(name for name, month in month_names("en").items() if month == number).title()


def weekday_names(*languages: str) -> dict[str, int]:
    """Return the names of weekdays with their numbers, from Monday = 0 as in :meth:`datetime.date.weekday`."""
    return {
        name: number
        for language in languages or LANGUAGES
        for number, name in enumerate(_TABLES[language].get("weekdays", ()))
    }


def english_weekday(number: int) -> str:
    """Return the English name of a weekday from Monday = 0."""
    return next(name for name, weekday in weekday_names("en").items() if weekday == number).title()


def synonym_groups(*languages: str) -> list[list[str]]:
    """Return groups of words that ask for the same; a word may stand in several."""
    return [group.split() for language in languages or LANGUAGES for group in _TABLES[language].get("synonyms", ())]


def _units() -> Iterator[tuple[str, Unit]]:
    symbols = {
        symbol: Unit(dimension, float(size))
        for dimension, sizes in _TABLES["units"].items()
        for symbol, size in sizes.items()
    }
    yield from symbols.items()
    for language in LANGUAGES:
        for symbol, names in _TABLES[language].get("units", {}).items():
            for name in names:
                yield name, symbols[symbol]


UNITS: Mapping[str, Unit] = dict(_units())
"""Units by their symbols and names in all languages."""
CURRENCIES = frozenset(name for name, unit in UNITS.items() if unit.dimension.isupper())
"""Codes, signs and names of currencies."""
