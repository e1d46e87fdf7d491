"""Medical records that can be searched: drugs, statistics and articles.

Generic names are real; brands, codes, manufacturers, figures and articles are invented, and no advice.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.text.words import terms

_RECORDS = Path(__file__).with_name("medicine.json")
Row = dict[str, Any]


def find_drugs(query: str) -> list[Row]:
    """Return the drugs whose brand or generic name contains the query, ignoring case."""
    wanted = query.strip().casefold()
    return [each for each in _table("drugs") if wanted and wanted in f"{each['brand']}\n{each['generic']}".casefold()]


def drug(ndc: str) -> Row | None:
    """Return the drug with the code, or ``None``."""
    return next((each for each in _table("drugs") if each["ndc"] == ndc.strip()), None)


def find_statistics(indicator: str, country: str) -> tuple[str, list[Row]]:
    """Return the full name of an indicator and its values, newest first; an empty country means all.

    An indicator is found by a part of its name; if several match, the first is taken, and if none, the name is empty.
    """
    wanted = set(terms(indicator))
    found = next((each for each in _table("statistics") if wanted and wanted <= set(terms(each["indicator"]))), None)
    if found is None:
        return "", []
    values = [
        {"country": code, "year": year, "value": value, "unit": found["unit"]}
        for code, years in found["values"].items()
        if country in ("", code)
        for year, value in years.items()
    ]
    return found["indicator"], sorted(values, key=lambda each: each["year"], reverse=True)


def find_articles(query: str) -> list[Row]:
    """Return the articles that share words with the query, those with most of them first."""
    wanted = set(terms(query))
    shared = [(len(wanted & set(terms(f"{each['title']} {each['abstract']}"))), each) for each in _table("articles")]
    return [each for count, each in sorted(shared, key=lambda pair: -pair[0]) if count]


def article(pmid: str) -> Row | None:
    """Return the article with the number, or ``None``."""
    return next((each for each in _table("articles") if each["pmid"] == pmid.strip()), None)


def _table(name: str) -> Sequence[Row]:
    return _records()[name]


@cache
def _records() -> dict[str, list[Row]]:
    records: dict[str, list[Row]] = json.loads(_RECORDS.read_text(encoding="utf-8"))
    return records
