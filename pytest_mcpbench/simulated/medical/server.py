"""The medical server: six tools of ``medical-mcp`` (JamesANZ) over invented records.

Names, parameters and the layout of the results follow the real server. Like there, an empty search is no error.
Generic names are real; brands, codes, manufacturers, figures and articles are invented, and no advice.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation
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


_TRY_AGAIN = "Try a different search term."
_DRUG_SUMMARY = {
    "Generic Name": "generic",
    "Manufacturer": "manufacturer",
    "Route": "route",
    "Dosage Form": "form",
    "Purpose": "purpose",
    "NDC": "ndc",
    "Last Updated": "updated",
}
_DRUG_DETAILS = {
    "Brand Name": "brand",
    "Generic Name": "generic",
    "Strength": "strength",
    "Manufacturer": "manufacturer",
    "Dosage Form": "form",
    "Purpose": "purpose",
    "Warnings": "warnings",
    "Drug Interactions": "interactions",
    "Storage": "storage",
}
_ARTICLE_SUMMARY = {"PMID": "pmid", "Journal": "journal", "Publication Date": "date", "DOI": "doi"}
_ARTICLE_DETAILS = {
    "Title": "title",
    "Authors": "authors",
    "Journal": "journal",
    "Publication Date": "date",
    "DOI": "doi",
    "Abstract": "abstract",
}


def search_drugs(
    _world: None,
    query: Annotated[str, Field(description="Brand name or generic name")],
    limit: Annotated[
        int, Field(description="Most results, from 1 to 50", ge=1, le=50, json_schema_extra={"default": 10})
    ] = 10,
) -> Any:
    """Find drugs by name."""
    found = find_drugs(query)[:limit]
    if not found:
        return f'No drugs found matching "{query}". {_TRY_AGAIN}'
    entries = [(each["brand"], _labelled(each, _DRUG_SUMMARY)) for each in found]
    return _listing(f'Drug Search Results for "{query}"', f"Found {len(found)} drug(s)", entries)


def get_drug_details(_world: None, ndc: Annotated[str, Field(description="National Drug Code")]) -> Any:
    """Look up warnings, interactions and storage of one drug by its code."""
    found = drug(ndc)
    if found is None:
        return f"No drug found with NDC: {ndc}"
    return _details(f"Drug Details for NDC: {found['ndc']}", _labelled(found, _DRUG_DETAILS))


def get_health_statistics(
    _world: None,
    indicator: Annotated[str, Field(description="Words of the indicator's name")],
    country: Annotated[str | None, Field(description="Country as a code of three letters")] = None,
    limit: Annotated[
        int, Field(description="Most values, from 1 to 20", ge=1, le=20, json_schema_extra={"default": 10})
    ] = 10,
) -> Any:
    """Look up a health indicator of one country or of all, by year."""
    name, values = find_statistics(indicator, country or "")
    if not values:
        return f'No health indicators found for "{indicator}"{f" in {country}" if country else ""}. {_TRY_AGAIN}'
    entries = [
        (f"{each['country']}** ({each['year']})", {"Value": f"{each['value']} {each['unit']}"})
        for each in values[:limit]
    ]
    shown = "\n\n".join(
        "\n".join([f"{number}. **{title}", *_lines(facts, "   ")]) for number, (title, facts) in enumerate(entries, 1)
    )
    return f"**Health Statistics: {name}**\n\nFound {len(entries)} data points\n\n{shown}"


def search_medical_literature(
    _world: None,
    query: Annotated[str, Field(description="Topic")],
    max_results: Annotated[
        int, Field(description="Most articles, from 1 to 20", ge=1, le=20, json_schema_extra={"default": 10})
    ] = 10,
) -> Any:
    """Find research articles about a topic."""
    found = find_articles(query)[:max_results]
    if not found:
        return f'No medical articles found for "{query}". {_TRY_AGAIN}'
    entries = [(each["title"], _labelled(each, _ARTICLE_SUMMARY)) for each in found]
    return _listing(f'Medical Literature Search: "{query}"', f"Found {len(found)} article(s)", entries)


def get_article_details(_world: None, pmid: Annotated[str, Field(description="Number of the article")]) -> Any:
    """Read the abstract of one article."""
    found = article(pmid)
    if found is None:
        return f"No article found with PMID: {pmid}"
    facts = _labelled({**found, "authors": ", ".join(found["authors"])}, _ARTICLE_DETAILS)
    return _details(f"Article Details for PMID: {found['pmid']}", facts)


def search_drug_nomenclature(_world: None, query: Annotated[str, Field(description="Name of a drug")]) -> Any:
    """Find the standard name and code of a drug."""
    found = find_drugs(query)
    if not found:
        return f'No drugs found in RxNorm database for "{query}". {_TRY_AGAIN}'
    entries = [
        (
            f"{each['generic'].lower()} {each['strength']} [{each['brand'].title()}]",
            {"RxCUI": each["rxcui"], "Term Type": each["tty"], "Language": "ENG"},
        )
        for each in found
    ]
    return _listing(f'RxNorm Drug Search: "{query}"', f"Found {len(found)} drug(s)", entries)


def _listing(title: str, count: str, entries: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    blocks = (
        "\n".join([f"{number}. **{name}**", *_lines(facts, "   ")]) for number, (name, facts) in enumerate(entries, 1)
    )
    return "\n\n".join([f"**{title}**", count, *blocks])


def _details(title: str, facts: Mapping[str, str]) -> str:
    return "\n".join([f"**{title}**", "", *_lines(facts)])


def _labelled(row: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a row by their labels."""
    return {label: row[field] for label, field in labels.items()}


def _lines(facts: Mapping[str, str], indent: str = "") -> list[str]:
    return [f"{indent}{label}: {value}" for label, value in facts.items()]


SIMULATION = Simulation(
    name="medical-mcp",
    state=lambda _world: None,
    tools=(
        search_drugs,
        get_drug_details,
        get_health_statistics,
        search_medical_literature,
        get_article_details,
        search_drug_nomenclature,
    ),
    dialect=TYPESCRIPT,
    hyphenated=True,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
