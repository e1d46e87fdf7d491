"""What the results of earlier calls say about a parameter that the request leaves open."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.payload import decode_json
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.runtime.agents.lexical.mention_scoring import preferred_kinds
from pytest_mcpbench.runtime.agents.lexical.schema_leaves import SchemaLeaf

_LABELLED_ID = re.compile(r"\b((?:[A-Za-z]+[ _-]?)?ID)\s*[:=]\s*[\"'(]?([\w.@-]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_LONGEST_VALUE = 80


def is_id_parameter(leaf: SchemaLeaf) -> bool:
    """Whether a parameter wants an id, which people seldom say and other tools tell."""
    return bool(leaf.name_terms & {"id", "uid", "uuid", "pid"})


def is_address_parameter(leaf: SchemaLeaf) -> bool:
    """Whether a parameter wants an e-mail address, which people tell by its owner's name."""
    return leaf.type == "string" and preferred_kinds(leaf)[:1] == ("email",)


def find_addresses(leaf: SchemaLeaf, results: Sequence[str], names: Sequence[str]) -> JsonValue:
    """The first address in the results for each name that shares a word with it; ``None`` where there is none."""
    addresses = [address for text in results for address in _ADDRESS.findall(text)]
    found = [
        next((one for one in addresses if frozenset(terms(name)) & frozenset(terms(one.partition("@")[0]))), None)
        for name in names
    ]
    matches = list(dict.fromkeys(address for address in found if address))
    if not matches:
        return None
    return list(matches) if leaf.is_list else matches[0]


def find_id(leaf: SchemaLeaf, results: Sequence[str], request: str) -> JsonValue:
    """The id in the results that belongs to the item most like the request; ``None`` where there is none.

    Later results come first; among items that are equally alike the first is taken. A list takes all of the best.
    """
    request_terms = frozenset(terms(request))
    for text in reversed(results):
        items = list(_items(decode_json(text), leaf)) or list(_labelled_ids(text, leaf))
        if items:
            likeness = [len(request_terms & frozenset(terms(item))) for item, _ in items]
            ids = [found for (_, found), alike in zip(items, likeness, strict=True) if alike == max(likeness)]
            return list(dict.fromkeys(ids)) if leaf.is_list else ids[0]
    return None


def single_value(results: Sequence[str]) -> str | None:
    """The last result, where it is nothing but one short value."""
    if not results:
        return None
    value = most_specific_value(results[-1])
    return value if value and len(value) <= _LONGEST_VALUE and "\n" not in value else None


def most_specific_value(text: str) -> str:
    """The one value that a result is about: the only scalar of an object, the only item of a list, or the text."""
    value = decode_json(text)
    while isinstance(value, dict | list) and len(value) == 1:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    if isinstance(value, dict):
        value = next((value[key] for key in ("result", "answer", "value", "output", "content") if key in value), value)
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False)


def _items(value: Any, leaf: SchemaLeaf) -> Iterator[tuple[str, JsonValue]]:
    """Objects that have a fitting id, as text with that id; an outer object's own id comes after those within it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        if isinstance(part, dict | list):
            yield from _items(part, leaf)
    if isinstance(value, dict) and (key := _id_key(value, leaf)):
        yield json.dumps(value, ensure_ascii=False), _convert(value[key], leaf)


def _id_key(item: dict[str, Any], leaf: SchemaLeaf) -> str | None:
    """The key with the parameter's own name, or else the first that ends with an id and holds one."""
    scalars = [key for key, value in item.items() if isinstance(value, str | int) and not isinstance(value, bool)]
    by_name = (key for key in scalars if frozenset(terms(key)) == leaf.name_terms)
    by_ending = (key for key in scalars if terms(key)[-1:] and terms(key)[-1] in ("id", "uid", "uuid", "pid"))
    return next(by_name, None) or next(by_ending, None)


def _labelled_ids(text: str, leaf: SchemaLeaf) -> Iterator[tuple[str, JsonValue]]:
    """``ID: 17`` in prose, each with the paragraph that it stands in."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\W*(?:[A-Za-z]+[ _-]?)?ID\b)", text):
        for _, found in _LABELLED_ID.findall(paragraph)[:1]:
            yield paragraph, _convert(found, leaf)


def _convert(value: str | int, leaf: SchemaLeaf) -> JsonValue:
    if leaf.type in ("integer", "number") and isinstance(value, str) and value.isdigit():
        return int(value)
    return str(value) if leaf.type == "string" else value
