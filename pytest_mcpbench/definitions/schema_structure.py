"""Structure of JSON Schemas: the schemas inside a schema, and the members that only people and models read."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

TEXT_KEYWORDS = frozenset(
    {"description", "title", "examples", "example", "$comment", "markdownDescription", "enumDescriptions", "deprecated"}
)
"""Keywords that a validator ignores and an agent reads."""
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SINGLE = (
    *("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"),
    *("contains", "propertyNames", "not", "if", "then", "else"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
DEEPEST = 40
"""Depth below which schemas are not looked at: nothing of ours can be made to recurse without end."""


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield the schemas directly inside a schema, each with its path."""
    for keyword in _MAPS:
        parts = schema.get(keyword)
        if isinstance(parts, Mapping):
            yield from (((keyword, str(name)), part) for name, part in parts.items() if isinstance(part, Mapping))
    for keyword in _SINGLE:
        part = schema.get(keyword)
        if isinstance(part, Mapping):
            yield (keyword,), part
    for keyword in _LISTS:
        branches = schema.get(keyword)
        if isinstance(branches, list):
            yield from (((keyword, str(i)), part) for i, part in enumerate(branches) if isinstance(part, Mapping))


def all_subschemas(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield a schema and all schemas inside it, each with its path."""
    yield path, schema
    if len(path) < DEEPEST:
        for step, part in subschemas(schema):
            yield from all_subschemas(part, (*path, *step))


def without_texts(schema: Any) -> Any:
    """Return a schema with what a validator uses; a property that is called ``description`` stays."""
    return map_subschemas(
        schema, lambda part: {keyword: value for keyword, value in part.items() if keyword not in TEXT_KEYWORDS}
    )


def map_subschemas(schema: Any, change: Callable[[Mapping[str, Any]], dict[str, Any]], depth: int = 0) -> Any:
    """Return a schema with a change applied to it and to every schema inside it."""
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return schema
    changed = change(schema)
    for keyword in _MAPS:
        if isinstance(changed.get(keyword), Mapping):
            parts = changed[keyword].items()
            changed[keyword] = {name: map_subschemas(part, change, depth + 1) for name, part in parts}
    for keyword in _SINGLE:
        if isinstance(changed.get(keyword), Mapping):
            changed[keyword] = map_subschemas(changed[keyword], change, depth + 1)
    for keyword in _LISTS:
        if isinstance(changed.get(keyword), list):
            changed[keyword] = [map_subschemas(part, change, depth + 1) for part in changed[keyword]]
    return changed


def at_pointer(reference: Any, root: Mapping[str, Any]) -> Any:
    """Return what a ``$ref`` inside the root refers to; ``None`` if it refers to nothing there."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    node: Any = root
    for part in filter(None, reference[1:].split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def inlined_schema(schema: Any, root: Mapping[str, Any], enclosing: frozenset[str] = frozenset()) -> Any:
    """Return a schema without ``$ref`` and ``const``, for readers that know neither.

    Inside itself a schema that refers to itself allows any value.

    Args:
        schema: The root, or a schema inside it.
        root: The schema that references are about.
        enclosing: References that are being replaced.
    """

    def change(part: Mapping[str, Any]) -> dict[str, Any]:
        own = {word: value for word, value in part.items() if word not in ("$ref", "$defs", "definitions", "const")}
        if "const" in part:
            own["enum"] = [part["const"]]
        reference = str(part.get("$ref"))
        target = at_pointer(reference, root) if reference not in enclosing else None
        return {**inlined_schema(target, root, enclosing | {reference}), **own} if isinstance(target, Mapping) else own

    return map_subschemas(schema, change)
