"""Alternatives of a JSON Schema: the schemas of one type each that a value may fit."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.canonical import canonical_json
from pytest_mcpbench.definitions.schema_structure import at_pointer

Schema = Mapping[str, Any]

MOST_ALTERNATIVES = 64
"""Number above which a schema counts as not comparable."""
_DEEPEST = 12
_TYPES_OF_VALUES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


class NotComparableError(ValueError):
    """A schema cannot be written as a short list of alternatives without changing its meaning."""


def alternatives(schema: Any, root: Schema) -> list[Schema]:
    """Return the alternatives without ``anyOf``, ``oneOf``, ``allOf``, ``$ref``, ``const`` and lists of types.

    ``True``, a missing schema and ``{}`` are one alternative without a type; ``False`` has none.
    """
    found: list[Schema] = []
    for alternative in _expand(schema, root, 0):
        found.append(alternative)
        if len(found) > MOST_ALTERNATIVES:
            raise NotComparableError
    return found


def type_of(alternative: Schema) -> str | None:
    """Return the type of an alternative; without one, the type that all values of its enum have."""
    declared = alternative.get("type")
    if isinstance(declared, str):
        return declared
    values = alternative.get("enum")
    if not isinstance(values, list) or not values:
        return None
    types = {"null" if value is None else _TYPES_OF_VALUES.get(type(value)) for value in values}
    return types.pop() if len(types) == 1 else None


def _expand(schema: Any, root: Schema, depth: int) -> Iterator[Schema]:
    if schema is False:
        return
    if schema is True:
        yield {}
        return
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        raise NotComparableError
    schema = _with_all_of(_without_reference(schema, root), root, depth)
    if "const" in schema:
        others = {keyword: value for keyword, value in schema.items() if keyword != "const"}
        schema = {**others, "enum": [schema["const"]]}
    combinator = next((word for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list)), None)
    if combinator is None:
        yield from _one_per_type(schema)
        return
    rest = {keyword: value for keyword, value in schema.items() if keyword != combinator}
    for branch in schema[combinator]:
        if branch is not False:
            yield from _expand(_joined(rest, branch, root), root, depth + 1)


def _without_reference(schema: Schema, root: Schema) -> Schema:
    for _ in range(_DEEPEST):
        if "$ref" not in schema:
            return schema
        target = at_pointer(schema["$ref"], root)
        if not isinstance(target, Mapping):
            raise NotComparableError
        schema = _joined({keyword: value for keyword, value in schema.items() if keyword != "$ref"}, target, root)
    raise NotComparableError


def _one_per_type(schema: Schema) -> Iterator[Schema]:
    declared = schema.get("type")
    types = declared if isinstance(declared, list) else [declared]
    if schema.get("nullable") is True and "null" not in types:
        types = [*types, "null"]
    for name in types:
        alone = {keyword: value for keyword, value in schema.items() if keyword not in ("type", "nullable")}
        if len(types) > 1 and isinstance(alone.get("enum"), list):
            alone["enum"] = [value for value in alone["enum"] if type_of({"enum": [value]}) == name]
            if not alone["enum"]:
                continue
        if name == "null":
            yield {"type": "null"}
        else:
            yield alone if name is None else {"type": name, **alone}


def _with_all_of(schema: Schema, root: Schema, depth: int) -> Schema:
    parts = schema.get("allOf")
    if not isinstance(parts, list) or depth > _DEEPEST:
        return schema
    joined: Schema = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
    for part in parts:
        joined = _joined(joined, part, root)
    return _with_all_of(joined, root, depth + 1) if "allOf" in joined else joined


def _joined(outer: Schema, inner: Any, root: Schema) -> Schema:
    """Return one schema for the values that fit both; raise an error if it cannot be written by joining members."""
    if inner is True:
        return outer
    if not isinstance(inner, Mapping):
        raise NotComparableError
    inner = _without_reference(inner, root)
    joined = {**inner, **outer}
    for keyword in outer.keys() & inner.keys():
        own, other = outer[keyword], inner[keyword]
        if keyword == "properties" and isinstance(own, Mapping) and isinstance(other, Mapping):
            common = {name: _equal(own[name], other[name]) for name in own.keys() & other.keys()}
            joined[keyword] = {**other, **own, **common}
        elif keyword == "required" and isinstance(own, list) and isinstance(other, list):
            joined[keyword] = [*other, *(name for name in own if name not in other)]
        elif keyword not in _OUTER_COUNTS:
            joined[keyword] = _equal(own, other)
    return joined


def _equal(outer: Any, inner: Any) -> Any:
    if canonical_json(outer) != canonical_json(inner):
        raise NotComparableError
    return outer


_OUTER_COUNTS = frozenset({"default", "$defs", "definitions", "$schema", "$id"})
"""Keywords of which the one beside a reference counts."""
