"""Bases with tables of records as in Airtable, and pages of text as in Notion, over a context tree.

The tree is ``{bases: {id: base}, pages: {id: page}}`` with::

    base = {id, name, tables: {id: table}}
    table = {id, name, description, fields: [{id, name, type}], records: {id: {id, fields: {name: value}}}}
    page = {id, title, last_edited, text}
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.documents.formula import compile_filter
from pytest_mcpbench.simulated.engine import Entities, ToolFailure

SHAPE = Shape(
    (
        Collection("bases", id_field="id"),
        Collection("bases[*].tables", id_field="id"),
        Collection("bases[*].tables[*].records", id_field="id"),
        Collection("pages", id_field="id"),
    )
)
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
_NOT_FOUND = "NOT_FOUND: Could not find what you are looking for: {id}"

Json = dict[str, Any]


@cache
def seed() -> Json:
    """Return the initial documents of an attempt; the result is cached and must not be modified."""
    document = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    bases = [_base(each) for each in document["bases"]]
    pages = [{**page, "text": "\n".join(page["text"])} for page in document["pages"]]
    return {"bases": _by_id(bases), "pages": _by_id(pages)}


def _base(definition: Json) -> Json:
    return {**definition, "tables": _by_id([_table(each) for each in definition["tables"]])}


def _table(definition: Json) -> Json:
    """Build a table from the seed file, where ``columns`` are pairs of name and type and ``rows`` the values."""
    tag, columns = definition["id"][3:9], definition["columns"]
    names = [name for name, _ in columns]
    fields = [{"id": f"fld{tag}{at:02}", "name": name, "type": kind} for at, (name, kind) in enumerate(columns, 1)]
    records = [
        {
            "id": f"rec{tag}{at:03}",
            "fields": {name: value for name, value in zip(names, row, strict=True) if value is not None},
        }
        for at, row in enumerate(definition["rows"], 1)
    ]
    return {
        "id": definition["id"],
        "name": definition["name"],
        "description": definition["description"],
        "fields": fields,
        "records": _by_id(records),
    }


def _by_id(entities: Iterable[Json]) -> Json:
    return {entity["id"]: entity for entity in entities}


class Documents:
    """The documents of one attempt. Each method is a request; :class:`ToolFailure` carries the error message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE)
        self._bases = Entities(self.tree, "bases", _NOT_FOUND)
        self._pages = Entities(self.tree, "pages", "object_not_found: Could not find page with ID: {id}.")

    def bases(self) -> list[Json]:
        """Return all bases."""
        return self._bases.all()

    def tables(self, base_id: str) -> list[Json]:
        """Return the tables of a base."""
        return self._tables(base_id).all()

    def records(
        self,
        base_id: str,
        table_id: str,
        formula: str | None = None,
        sort: Sequence[tuple[str, bool]] = (),
        limit: int | None = None,
    ) -> list[Json]:
        """Return the records that match a formula; ``sort`` contains pairs of a field and whether it is descending."""
        table = self._table(base_id, table_id)
        matches = compile_filter(formula) if formula else None
        records = [
            each for each in self._records(base_id, table["id"]).all() if matches is None or matches(each["fields"])
        ]
        for name, is_descending in reversed(sort):
            self._require_known_fields(table, (name,))
            records = sorted(records, key=_field_sort_key(name), reverse=is_descending)
        return records[:limit]

    def search(self, base_id: str, table_id: str, term: str, limit: int | None = None) -> list[Json]:
        """Return the records in which some field contains the text, ignoring case."""
        searched_text = term.casefold()
        records = self.records(base_id, table_id)
        return [each for each in records if any(searched_text in str(v).casefold() for v in each["fields"].values())][
            :limit
        ]

    def record(self, base_id: str, table_id: str, record_id: str) -> Json:
        """Return the record with the id."""
        return self._records(base_id, self._table(base_id, table_id)["id"]).get(record_id)

    def create_record(self, base_id: str, table_id: str, fields: Mapping[str, Any]) -> Json:
        """Create a record."""
        table = self._table(base_id, table_id)
        self._require_known_fields(table, fields)
        record = {"id": f"rec{self._world.ids.text(14, _LETTERS)}", "fields": dict(fields)}
        return self._records(base_id, table["id"]).create(record)

    def update_record(self, base_id: str, table_id: str, record_id: str, fields: Mapping[str, Any]) -> Json:
        """Set some fields of a record."""
        table = self._table(base_id, table_id)
        self._require_known_fields(table, fields)
        records = self._records(base_id, table["id"])
        return records.update(record_id, {"fields": {**records.get(record_id)["fields"], **fields}})

    def find_pages(self, query: str) -> list[Json]:
        """Return the pages whose title or text contains all words of the query; pages with a word in the title come
        first.
        """
        words = query.casefold().split()
        pages = [page for page in self._pages.all() if all(word in _searchable_text(page) for word in words)]
        return sorted(pages, key=lambda page: not any(word in page["title"].casefold() for word in words))

    def page(self, page_id: str) -> Json:
        """Return the page with this id."""
        return self._pages.get(page_id)

    def append(self, page_id: str, text: str) -> Json:
        """Append a paragraph to a page."""
        page = self._pages.get(page_id)
        edit_time = self._world.now.isoformat(timespec="seconds").replace("+00:00", "Z")
        return self._pages.update(page_id, {"text": f"{page['text']}\n\n{text}", "last_edited": edit_time})

    def _tables(self, base_id: str) -> Entities:
        return self._bases.subcollection(base_id, "tables", _NOT_FOUND)

    def _records(self, base_id: str, table_id: str) -> Entities:
        return self._tables(base_id).subcollection(table_id, "records", "NOT_FOUND: Could not find record {id}")

    def _table(self, base_id: str, table: str) -> Json:
        """Return the table with the id or, as Airtable allows, with the name."""
        tables = self._tables(base_id)
        tables_by_name = tables.all({"name": table}, limit=1)
        return tables_by_name[0] if tables_by_name else tables.get(table)

    def _require_known_fields(self, table: Json, names: Iterable[str]) -> None:
        known_names = {field["name"] for field in table["fields"]}
        for name in names:
            if name not in known_names:
                raise ToolFailure(f'UNKNOWN_FIELD_NAME: Unknown field name: "{name}"')


def _field_sort_key(name: str) -> Callable[[Json], tuple[bool, float, str]]:
    return lambda record: _sort_key(record["fields"].get(name))


def _sort_key(value: Any) -> tuple[bool, float, str]:
    """Return a sort key that puts blanks first, then numbers, then texts."""
    if isinstance(value, int | float):
        return (True, float(value), "")
    return (value is not None, float("inf") if value is not None else 0.0, str(value or "").casefold())


def _searchable_text(page: Json) -> str:
    return f"{page['title']}\n{page['text']}".casefold()
