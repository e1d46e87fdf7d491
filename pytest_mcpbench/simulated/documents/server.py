# ruff: noqa: N803, PLR0913 (the names and number of parameters match the real server)
"""Documents server: tables as in ``airtable-mcp-server`` (domdomegg, MIT) and pages similar to Notion's."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pytest_mcpbench.simulated.documents.world import Documents
from pytest_mcpbench.simulated.engine import ZOD4, Simulation

Base = Annotated[str, Field(description="Id of the base")]
Table = Annotated[str, Field(description="Id or name of the table")]
MaxRecords = Annotated[int | None, Field(description="How many records to give at most", ge=1)]
Page = Annotated[str, Field(description="Id of the page")]
_EXCERPT_LENGTH = 120


class SortBy(BaseModel):
    """A field to sort by."""

    field: str
    direction: Literal["asc", "desc"] = "asc"


class Change(BaseModel):
    """New values for fields of a record."""

    id: Annotated[str, Field(description="Id of the record")]
    fields: Annotated[dict[str, Any], Field(description="Name of a field -> its new value")]


def list_bases(documents: Documents) -> list[dict[str, Any]]:
    """List all accessible bases"""
    return [{"id": base["id"], "name": base["name"], "permissionLevel": "create"} for base in documents.bases()]


def list_tables(documents: Documents, baseId: Base) -> list[dict[str, Any]]:
    """List all tables in a specific base, with their fields"""
    return [{key: table[key] for key in ("id", "name", "description", "fields")} for table in documents.tables(baseId)]


def list_records(
    documents: Documents,
    baseId: Base,
    tableId: Table,
    maxRecords: MaxRecords = None,
    filterByFormula: Annotated[
        str | None, Field(description='Which records, as a formula like AND({State}="Open", {Level}>=3)')
    ] = None,
    sort: Annotated[list[SortBy] | None, Field(description="Fields to sort by, the most important first")] = None,
) -> list[dict[str, Any]]:
    """List records from a table"""
    order = [(each.field, each.direction == "desc") for each in sort or ()]
    return documents.records(baseId, tableId, filterByFormula, order, maxRecords)


def search_records(
    documents: Documents,
    baseId: Base,
    tableId: Table,
    searchTerm: Annotated[str, Field(description="Text to look for")],
    maxRecords: MaxRecords = None,
) -> list[dict[str, Any]]:
    """Search for records containing specific text"""
    return documents.search(baseId, tableId, searchTerm, maxRecords)


def get_record(
    documents: Documents, baseId: Base, tableId: Table, recordId: Annotated[str, Field(description="Id of the record")]
) -> dict[str, Any]:
    """Get a specific record by ID"""
    return documents.record(baseId, tableId, recordId)


def create_record(
    documents: Documents,
    baseId: Base,
    tableId: Table,
    fields: Annotated[dict[str, Any], Field(description="Name of a field -> its value")],
) -> dict[str, Any]:
    """Create a new record in a table"""
    return documents.create_record(baseId, tableId, fields)


def update_records(
    documents: Documents,
    baseId: Base,
    tableId: Table,
    records: Annotated[list[Change], Field(description="What to change in which records")],
) -> list[dict[str, Any]]:
    """Update up to 10 records in a table"""
    return [documents.update_record(baseId, tableId, each.id, each.fields) for each in records[:10]]


def search_pages(
    documents: Documents, query: Annotated[str, Field(description="Words that must all be on the page")]
) -> list[dict[str, Any]]:
    """Search pages by title and text"""
    pages = documents.find_pages(query)
    return [
        {key: page[key] for key in ("id", "title", "last_edited")} | {"excerpt": page["text"][:_EXCERPT_LENGTH]}
        for page in pages
    ]


def read_page(documents: Documents, pageId: Page) -> str:
    """Read a page as Markdown"""
    page = documents.page(pageId)
    return f"# {page['title']}\n\n{page['text']}"


def append_to_page(
    documents: Documents, pageId: Page, text: Annotated[str, Field(description="The paragraph, in Markdown")]
) -> dict[str, Any]:
    """Append a paragraph to the end of a page"""
    page = documents.append(pageId, text)
    return {key: page[key] for key in ("id", "title", "last_edited")}


SIMULATION = Simulation(
    name="documents",
    state=Documents,
    tools=(
        list_bases,
        list_tables,
        list_records,
        search_records,
        get_record,
        create_record,
        update_records,
        search_pages,
        read_page,
        append_to_page,
    ),
    dialect=ZOD4,
    indent=2,
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
