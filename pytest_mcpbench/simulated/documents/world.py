"""The documents: bases with tables of records as in Airtable, pages of text as in Notion, over a context tree.

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
from pytest_mcpbench.simulated.documents.formula import filter_of
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
_NO_PERMISSION = "NOT_FOUND: Could not find what you are looking for: {id}"

Json = dict[str, Any]


@cache
def seed() -> Json:
    """The documents in which an attempt begins; made once a process, and to be left as it is."""
    written = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    bases = [_base(each) for each in written["bases"]]
    pages = [{**page, "text": "\n".join(page["text"])} for page in written["pages"]]
    return {"bases": _by_id(bases), "pages": _by_id(pages)}


def _base(written: Json) -> Json:
    return {**written, "tables": _by_id([_table(each) for each in written["tables"]])}


def _table(written: Json) -> Json:
    """A table whose records are written as rows under ``columns``: pairs of name and type."""
    tag, columns = written["id"][3:9], written["columns"]
    names = [name for name, _ in columns]
    fields = [{"id": f"fld{tag}{at:02}", "name": name, "type": kind} for at, (name, kind) in enumerate(columns, 1)]
    records = [
        {
            "id": f"rec{tag}{at:03}",
            "fields": {name: value for name, value in zip(names, row, strict=True) if value is not None},
        }
        for at, row in enumerate(written["rows"], 1)
    ]
    return {
        "id": written["id"],
        "name": written["name"],
        "description": written["description"],
        "fields": fields,
        "records": _by_id(records),
    }


def _by_id(entities: Iterable[Json]) -> Json:
    return {entity["id"]: entity for entity in entities}


class Documents:
    """The documents of one attempt. Each method is a request; :class:`ToolFailure` has the service's message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE)
        self._bases = Entities(self.tree, "bases", _NO_PERMISSION)
        self._pages = Entities(self.tree, "pages", "object_not_found: Could not find page with ID: {id}.")

    def bases(self) -> list[Json]:
        """All bases."""
        return self._bases.all()

    def tables(self, base_id: str) -> list[Json]:
        """The tables of a base."""
        return self._tables(base_id).all()

    def records(
        self,
        base_id: str,
        table_id: str,
        formula: str | None = None,
        sort: Sequence[tuple[str, bool]] = (),
        limit: int | None = None,
    ) -> list[Json]:
        """Records that fulfil a formula; ``sort`` are fields, each with whether it is descending."""
        table = self._table(base_id, table_id)
        keeps = filter_of(formula) if formula else None
        found = [each for each in self._records(base_id, table["id"]).all() if keeps is None or keeps(each["fields"])]
        for name, is_descending in reversed(sort):
            self._check_fields(table, (name,))
            found = sorted(found, key=_by_field(name), reverse=is_descending)
        return found[:limit]

    def search(self, base_id: str, table_id: str, term: str, limit: int | None = None) -> list[Json]:
        """Records with a field that holds the text, in either case."""
        wanted = term.casefold()
        found = self.records(base_id, table_id)
        return [each for each in found if any(wanted in str(v).casefold() for v in each["fields"].values())][:limit]

    def record(self, base_id: str, table_id: str, record_id: str) -> Json:
        """One record."""
        return self._records(base_id, self._table(base_id, table_id)["id"]).get(record_id)

    def create_record(self, base_id: str, table_id: str, fields: Mapping[str, Any]) -> Json:
        """A new record."""
        table = self._table(base_id, table_id)
        self._check_fields(table, fields)
        record = {"id": f"rec{self._world.ids.text(14, _LETTERS)}", "fields": dict(fields)}
        return self._records(base_id, table["id"]).create(record)

    def update_record(self, base_id: str, table_id: str, record_id: str, fields: Mapping[str, Any]) -> Json:
        """A record with some fields set."""
        table = self._table(base_id, table_id)
        self._check_fields(table, fields)
        records = self._records(base_id, table["id"])
        return records.update(record_id, {"fields": {**records.get(record_id)["fields"], **fields}})

    def find_pages(self, query: str) -> list[Json]:
        """Pages whose title or text has all words of the query, those with a word in the title first."""
        words = query.casefold().split()
        found = [page for page in self._pages.all() if all(word in _whole(page) for word in words)]
        return sorted(found, key=lambda page: not any(word in page["title"].casefold() for word in words))

    def page(self, page_id: str) -> Json:
        """One page."""
        return self._pages.get(page_id)

    def append(self, page_id: str, text: str) -> Json:
        """A page with a paragraph more at its end."""
        page = self._pages.get(page_id)
        edited = self._world.now.isoformat(timespec="seconds").replace("+00:00", "Z")
        return self._pages.update(page_id, {"text": f"{page['text']}\n\n{text}", "last_edited": edited})

    def _tables(self, base_id: str) -> Entities:
        return self._bases.inside(base_id, "tables", _NO_PERMISSION)

    def _records(self, base_id: str, table_id: str) -> Entities:
        return self._tables(base_id).inside(table_id, "records", "NOT_FOUND: Could not find record {id}")

    def _table(self, base_id: str, table: str) -> Json:
        """A table by id or, as Airtable takes it too, by name."""
        tables = self._tables(base_id)
        named = tables.all({"name": table}, limit=1)
        return named[0] if named else tables.get(table)

    def _check_fields(self, table: Json, names: Iterable[str]) -> None:
        known = {field["name"] for field in table["fields"]}
        for name in names:
            if name not in known:
                raise ToolFailure(f'UNKNOWN_FIELD_NAME: Unknown field name: "{name}"')


def _by_field(name: str) -> Callable[[Json], tuple[bool, float, str]]:
    return lambda record: _order(record["fields"].get(name))


def _order(value: Any) -> tuple[bool, float, str]:
    """Blanks first, then numbers, then texts."""
    if isinstance(value, int | float):
        return (True, float(value), "")
    return (value is not None, float("inf") if value is not None else 0.0, str(value or "").casefold())


def _whole(page: Json) -> str:
    return f"{page['title']}\n{page['text']}".casefold()
