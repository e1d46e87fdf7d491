"""Bases with tables of records as in Airtable, and pages of text as in Notion, over a context tree.

The tree is ``{bases: {id: base}, pages: {id: page}}`` with::

    base = {id, name, tables: {id: table}}
    table = {id, name, description, fields: [{id, name, type}], records: {id: {id, fields: {name: value}}}}
    page = {id, title, last_edited, text}
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure

# Airtable's ``filterByFormula``: fields in braces, comparisons, AND, OR, NOT and a few functions.

_TOKEN = re.compile(
    r"\s*(?:(?P<field>\{[^}]+\})|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<sign><=|>=|!=|<>|[=<>(),&+\-*/])|(?P<word>[A-Za-z_]\w*))"
)
_MAX_DEPTH = 40

Fields = Mapping[str, Any]
Node = Callable[[Fields], Any]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": eq, "!=": ne, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)


def compile_filter(formula: str) -> Callable[[Fields], bool]:
    """Compile a formula to a predicate on a record's fields; raise :class:`ToolFailure` if the formula is invalid."""
    tokens: list[tuple[str, str]] = []
    position, end = 0, len(formula.rstrip())
    while position < end:
        match = _TOKEN.match(formula, position)
        if match is None:
            raise _invalid_formula(f"cannot read {formula[position : position + 10]!r}")
        tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        position = match.end()
    parser = _Parser(tokens)
    node = parser.comparison()
    if parser.position < len(tokens):
        raise _invalid_formula(f"unexpected {tokens[parser.position][1]!r}")
    return lambda fields: bool(node(fields))


def _invalid_formula(why: str) -> ToolFailure:
    return ToolFailure(f"INVALID_FILTER_BY_FORMULA: The formula for filtering records is invalid: {why}")


@dataclass
class _Parser:
    """Recursive-descent parser of a formula's tokens."""

    tokens: Sequence[tuple[str, str]]
    position: int = 0
    depth: int = 0

    def comparison(self) -> Node:
        left = self._value()
        kind, sign = self._peek()
        if kind != "sign" or sign not in _COMPARISONS:
            return left
        self.position += 1
        compare = _COMPARISONS[sign]
        right = self._value()
        return lambda fields: _compare(compare, left(fields), right(fields))

    def _value(self) -> Node:
        kind, text = self._peek()
        self.position += 1
        if kind == "field":
            name = text[1:-1]
            return lambda fields: fields.get(name)
        if kind == "text":
            return _constant(re.sub(r"\\(.)", r"\1", text[1:-1]))
        if kind == "number":
            return _constant(float(text))
        if kind == "word" and self._peek()[1] == "(":
            return self._call(text.upper())
        if text == "(":
            node = self._nested_expression()
            self._expect(")")
            return node
        if kind == "word":
            return lambda fields: fields.get(text)
        raise _invalid_formula(f"unexpected {text or 'end'!r}")

    def _call(self, name: str) -> Node:
        self._expect("(")
        arguments: list[Node] = []
        while self._peek()[1] != ")":
            arguments.append(self._nested_expression())
            if self._peek()[1] == ",":
                self.position += 1
            elif self._peek()[1] != ")":
                raise _invalid_formula(f"unexpected {self._peek()[1] or 'end'!r}")
        self._expect(")")
        function = _FUNCTIONS.get(name)
        if function is None:
            raise _invalid_formula(f"unknown function {name}; there are: {', '.join(_FUNCTIONS)}")
        return lambda fields: _apply(name, function, [argument(fields) for argument in arguments])

    def _nested_expression(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _invalid_formula("it is nested too deeply")
        node = self.comparison()
        self.depth -= 1
        return node

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.position] if self.position < len(self.tokens) else ("end", "")

    def _expect(self, sign: str) -> None:
        if self._peek()[1] != sign:
            raise _invalid_formula(f"expected {sign!r}, found {self._peek()[1] or 'end'!r}")
        self.position += 1


def _constant(value: Any) -> Node:
    return lambda _: value


def _compare(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    """Compare as Airtable does: a blank equals an empty text or zero, and mixed types are compared as texts."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return compare(float(left), float(right))
    if None in (left, right) and isinstance(left if right is None else right, int | float):
        return compare(float(left or 0), float(right or 0))
    return compare(_as_text(left), _as_text(right))


def _as_text(value: Any) -> str:
    if value is None or value is False:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _find(part: Any, text: Any) -> int:
    return _as_text(text).find(_as_text(part)) + 1


def _search(part: Any, text: Any) -> int:
    return _as_text(text).casefold().find(_as_text(part).casefold()) + 1


_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "AND": lambda *values: all(values),
        "OR": lambda *values: any(values),
        "NOT": lambda value: not value,
        "FIND": _find,
        "SEARCH": _search,
        "LOWER": lambda value: _as_text(value).lower(),
        "UPPER": lambda value: _as_text(value).upper(),
        "LEN": lambda value: len(_as_text(value)),
        "BLANK": lambda: None,
        "TRUE": lambda: True,
        "FALSE": lambda: False,
        "IS_BEFORE": lambda first, second: _as_text(first) < _as_text(second),
        "IS_AFTER": lambda first, second: _as_text(first) > _as_text(second),
    }
)


def _apply(name: str, function: Callable[..., Any], values: list[Any]) -> Any:
    try:
        return function(*values)
    except TypeError:
        raise _invalid_formula(f"{name} does not take {len(values)} arguments") from None


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
    bases = [{**base, "tables": _by_id([_table(each) for each in base["tables"]])} for base in document["bases"]]
    pages = [{**page, "text": "\n".join(page["text"])} for page in document["pages"]]
    return {"bases": _by_id(bases), "pages": _by_id(pages)}


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
        record = {"id": f"rec{self._world.ids.text(14, _LETTERS)}", "fields": _filled(fields)}
        return self._records(base_id, table["id"]).create(record)

    def update_record(self, base_id: str, table_id: str, record_id: str, fields: Mapping[str, Any]) -> Json:
        """Set some fields of a record. A field that is set to null or an empty text or list is cleared."""
        table = self._table(base_id, table_id)
        self._require_known_fields(table, fields)
        records = self._records(base_id, table["id"])
        return records.update(record_id, {"fields": _filled({**records.get(record_id)["fields"], **fields})})

    def find_pages(self, query: str) -> list[Json]:
        """Return the pages whose title or text contains all words of the query; pages with a word in the title come
        first.
        """
        words = query.casefold().split()
        pages = [
            page
            for page in self._pages.all()
            if all(word in f"{page['title']}\n{page['text']}".casefold() for word in words)
        ]
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


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value, as Airtable's records leave out the others."""
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _field_sort_key(name: str) -> Callable[[Json], tuple[bool, float, str]]:
    """Return a sort key that puts records whose field is blank first, then numbers, then texts."""

    def sort_key(record: Json) -> tuple[bool, float, str]:
        value = record["fields"].get(name)
        if isinstance(value, int | float):
            return (True, float(value), "")
        return (value is not None, float("inf") if value is not None else 0.0, str(value or "").casefold())

    return sort_key
