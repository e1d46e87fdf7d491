"""Values for parameters from the results of earlier calls."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.agents.lexical.mention_scoring import preferred_kinds
from pytest_mcpbench.agents.lexical.schema_leaves import SchemaLeaf
from pytest_mcpbench.core.placeholders import decode_json
from pytest_mcpbench.text.words import terms

_LABELLED_ID = re.compile(r"\b((?:[A-Za-z]+[ _-]?)?ID)\s*[:=]\s*[\"'(]?([\w.@-]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_LONGEST_VALUE = 80


def is_id_parameter(leaf: SchemaLeaf) -> bool:
    """Return whether a parameter requires an id, which users rarely state and other tools return."""
    return bool(leaf.name_terms & {"id", "uid", "uuid", "pid"})


def is_address_parameter(leaf: SchemaLeaf) -> bool:
    """Return whether a parameter requires an e-mail address, for which users state the owner's name."""
    return leaf.type == "string" and preferred_kinds(leaf)[:1] == ("email",)


def find_addresses(leaf: SchemaLeaf, results: Sequence[str], names: Sequence[str]) -> JsonValue:
    """Return the first address in the results that shares a word with each name; ``None`` if there is none."""
    addresses = [address for text in results for address in _ADDRESS.findall(text)]
    terms_of = {address: frozenset(terms(address.partition("@")[0])) for address in addresses}
    first_matches = [
        next((address for address in addresses if frozenset(terms(name)) & terms_of[address]), None) for name in names
    ]
    matches = list(dict.fromkeys(address for address in first_matches if address))
    if not matches:
        return None
    return list(matches) if leaf.is_list else matches[0]


def find_id(leaf: SchemaLeaf, results: Sequence[str], request: str) -> JsonValue:
    """Return the id of the item in the results that resembles the request most; ``None`` if there is none.

    Later results precede earlier ones. Of equally similar items the first one counts; a list parameter gets all.
    """
    request_terms = frozenset(terms(request))
    for text in reversed(results):
        items = list(_items(decode_json(text), leaf))
        if not items:
            # Ids in prose, such as `ID: 17`, each with its paragraph.
            items = [
                (paragraph, _convert(item_id, leaf))
                for paragraph in re.split(r"\n\s*\n|\n(?=\W*(?:[A-Za-z]+[ _-]?)?ID\b)", text)
                for _, item_id in _LABELLED_ID.findall(paragraph)[:1]
            ]
        if items:
            similarity = [len(request_terms & frozenset(terms(item))) for item, _ in items]
            ids = [
                item_id for (_, item_id), overlap in zip(items, similarity, strict=True) if overlap == max(similarity)
            ]
            return list(dict.fromkeys(ids)) if leaf.is_list else ids[0]
    return None


def single_value(results: Sequence[str]) -> str | None:
    """Return the last result if it is a single short value."""
    if not results:
        return None
    value = most_specific_value(results[-1])
    return value if value and len(value) <= _LONGEST_VALUE and "\n" not in value else None


def most_specific_value(text: str) -> str:
    """Return the only scalar of an object, the only item of a list, or the complete text."""
    value = decode_json(text)
    while isinstance(value, dict | list) and len(value) == 1:
        value = next(iter(value.values())) if isinstance(value, dict) else value[0]
    if isinstance(value, dict):
        value = next((value[key] for key in ("result", "answer", "value", "output", "content") if key in value), value)
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False)


def _items(value: Any, leaf: SchemaLeaf) -> Iterator[tuple[str, JsonValue]]:
    """Yield objects with a suitable id, as text and id; inner objects precede the one that contains them."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        if isinstance(part, dict | list):
            yield from _items(part, leaf)
    if isinstance(value, dict):
        # The key with the parameter's own name; otherwise the first one that ends with "id" and has a scalar.
        scalars = [key for key, each in value.items() if isinstance(each, str | int) and not isinstance(each, bool)]
        by_name = (key for key in scalars if frozenset(terms(key)) == leaf.name_terms)
        by_ending = (key for key in scalars if terms(key)[-1:] and terms(key)[-1] in ("id", "uid", "uuid", "pid"))
        id_key = next(by_name, None) or next(by_ending, None)
        if id_key:
            yield json.dumps(value, ensure_ascii=False), _convert(value[id_key], leaf)


def _convert(value: str | int, leaf: SchemaLeaf) -> JsonValue:
    if leaf.type in ("integer", "number") and isinstance(value, str) and value.isdigit():
        return int(value)
    return str(value) if leaf.type == "string" else value
