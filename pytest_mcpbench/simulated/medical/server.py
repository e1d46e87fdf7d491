"""The medical server: six tools of ``medical-mcp`` (JamesANZ) over invented records.

Names, parameters and the layout of the results follow the real server. Like there, an empty search is no error.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation
from pytest_mcpbench.simulated.medical import world

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
    found = world.find_drugs(query)[:limit]
    if not found:
        return f'No drugs found matching "{query}". {_TRY_AGAIN}'
    entries = [(each["brand"], _labelled(each, _DRUG_SUMMARY)) for each in found]
    return _listing(f'Drug Search Results for "{query}"', f"Found {len(found)} drug(s)", entries)


def get_drug_details(_world: None, ndc: Annotated[str, Field(description="National Drug Code")]) -> Any:
    """Look up warnings, interactions and storage of one drug by its code."""
    drug = world.drug(ndc)
    if drug is None:
        return f"No drug found with NDC: {ndc}"
    return _details(f"Drug Details for NDC: {drug['ndc']}", _labelled(drug, _DRUG_DETAILS))


def get_health_statistics(
    _world: None,
    indicator: Annotated[str, Field(description="Words of the indicator's name")],
    country: Annotated[str | None, Field(description="Country as a code of three letters")] = None,
    limit: Annotated[
        int, Field(description="Most values, from 1 to 20", ge=1, le=20, json_schema_extra={"default": 10})
    ] = 10,
) -> Any:
    """Look up a health indicator of one country or of all, by year."""
    name, values = world.find_statistics(indicator, country or "")
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
    found = world.find_articles(query)[:max_results]
    if not found:
        return f'No medical articles found for "{query}". {_TRY_AGAIN}'
    entries = [(each["title"], _labelled(each, _ARTICLE_SUMMARY)) for each in found]
    return _listing(f'Medical Literature Search: "{query}"', f"Found {len(found)} article(s)", entries)


def get_article_details(_world: None, pmid: Annotated[str, Field(description="Number of the article")]) -> Any:
    """Read the abstract of one article."""
    article = world.article(pmid)
    if article is None:
        return f"No article found with PMID: {pmid}"
    facts = _labelled({**article, "authors": ", ".join(article["authors"])}, _ARTICLE_DETAILS)
    return _details(f"Article Details for PMID: {article['pmid']}", facts)


def search_drug_nomenclature(_world: None, query: Annotated[str, Field(description="Name of a drug")]) -> Any:
    """Find the standard name and code of a drug."""
    found = world.find_drugs(query)
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
