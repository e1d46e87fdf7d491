"""Tool input schemas: parameters, type conversion, violations.

Schemas come from servers that nobody here controls. A keyword that cannot be used (an unknown type, a reference that
leads nowhere, a pattern of another regular-expression dialect) rules nothing out and never stops an evaluation; no
reference is fetched from a network.
"""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.bounded_schema import bounded_dialect, bounded_searches

DIALECT_TYPES = {
    "float": "number",
    "double": "number",
    "int": "integer",
    "long": "integer",
    "str": "string",
    "bool": "boolean",
    "dict": "object",
    "list": "array",
    "tuple": "array",
}
"""Names of types outside JSON Schema that data sets use, and what they mean."""

TypeChecker = Callable[[str, Any], tuple[str, ...]]
"""Violations of types by the value of a parameter, given by its name."""

_MOST_ERRORS = 20
_DEEPEST = 30


@dataclass(frozen=True)
class Parameters:
    """The parameters of a tool; :attr:`are_known` is false where its schema names none."""

    properties: Mapping[str, Any] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    are_known: bool = False
    accepts_others: bool = True

    def default(self, name: str) -> tuple[Any, ...]:
        """Return the default of a parameter as a tuple of one; empty if it has none."""
        schema = self.properties.get(name)
        return (schema["default"],) if isinstance(schema, Mapping) and "default" in schema else ()


def schema_violations(arguments: Any, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one sentence, including the path, for each violation of the schema; empty if there is none."""
    return _violations(arguments, json.dumps(schema, default=str))


def type_violations(name: str, value: Any, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return violations of types by one parameter, ignoring required fields, bounds and enums."""
    return type_checker(schema)(name, value)


def type_checker(schema: Mapping[str, Any]) -> TypeChecker:
    """Return :func:`type_violations` for parameters of one schema, which need not be read again for each of them."""
    skeleton = _type_skeleton(json.dumps(schema, default=str))
    types = _plain_types(skeleton)

    def check(name: str, value: Any) -> tuple[str, ...]:
        # Nearly all parameters are of one plain type, and their values fit it.
        if name in types and isinstance(value, types[name]) and (types[name] is bool or not isinstance(value, bool)):
            return ()
        return _violations({name: value}, skeleton)

    return check


def parameters(schema: Mapping[str, Any]) -> Parameters:
    """Return an object schema's parameters, including those from ``$ref``, ``allOf``, ``anyOf`` and ``oneOf``."""
    return _merge(schema, schema, 0)


def coerce(value: Any, schema: Any, root: Mapping[str, Any]) -> Any:
    """Convert a value to its schema's type if possible: ``"2"`` to 2, ``"True"`` to true.

    A value that is of the type already, or cannot be read as it, stays as it is.
    """
    return _coerce(value, schema, root, 0)


def _violations(instance: Any, schema_text: str) -> tuple[str, ...]:
    try:
        with bounded_searches():
            errors = sorted(_validator(schema_text).iter_errors(instance), key=lambda error: list(map(str, error.path)))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError, ArithmeticError):
        # The schema itself is malformed (``"properties": []``): it says nothing that could be violated.
        return ()
    found = []
    for error in errors[:_MOST_ERRORS]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.path).lstrip(".")
        found.append(f"{place}{': ' if error.path else ''}{error.message[:300]}")
    return tuple(found)


@functools.lru_cache(maxsize=1024)
def _validator(schema_text: str) -> Any:
    # Imported here: 50 ms that a run without tool schemas need not pay.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    schema = json.loads(schema_text)
    dialect = validator_for(schema, default=Draft202012Validator)
    registry: Any = Registry(retrieve=_nothing_to_fetch)  # type: ignore[call-arg]  # attrs' alias is unknown to mypy
    return _lenient_dialect(dialect)(schema, registry=registry)


def _nothing_to_fetch(_uri: str) -> Any:
    """Return the empty schema in place of a remote one."""
    from referencing.jsonschema import DRAFT202012

    return DRAFT202012.create_resource({})


_TOLERATED = (
    *("$ref", "$dynamicRef", "pattern", "patternProperties", "additionalProperties", "required", "enum"),
    *("multipleOf", "divisibleBy"),
)


@functools.cache
def _lenient_dialect(dialect: Any) -> Any:
    """Return the dialect with keywords that accept everything where they cannot be used."""
    from jsonschema.validators import extend
    from referencing.exceptions import Unresolvable

    # PatternTimeoutError is a ValueError, as is the error for a pattern of another dialect.
    unusable = (Unresolvable, TypeError, ValueError, ArithmeticError)
    dialect = bounded_dialect(dialect)
    tolerated = {
        word: _tolerant(dialect.VALIDATORS[word], unusable) for word in _TOLERATED if word in dialect.VALIDATORS
    }
    known_types = _known_types(dialect.VALIDATORS["type"], dialect.TYPE_CHECKER)
    return extend(dialect, {**tolerated, "type": known_types})  # type: ignore[no-untyped-call]  # it ships no types


def _tolerant(keyword: Callable[..., Any], unusable: tuple[type[Exception], ...]) -> Callable[..., Iterator[Any]]:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        try:
            errors = list(keyword(validator, value, instance, schema) or ())
        except unusable:
            return
        yield from errors

    return check


def _known_types(keyword: Callable[..., Any], checker: Any) -> Callable[..., Iterator[Any]]:
    def check(validator: Any, types: Any, instance: Any, schema: Any) -> Iterator[Any]:
        from jsonschema.exceptions import UndefinedTypeCheck

        names = _json_types(types)
        if isinstance(schema, Mapping) and schema.get("nullable") is True:
            names = [*names, "null"]
        try:
            for name in names:
                checker.is_type(instance, name)
        except UndefinedTypeCheck:
            return
        yield from keyword(validator, names[0] if len(names) == 1 else names, instance, schema) or ()

    return check


def _json_types(types: Any) -> list[str]:
    names = [str(name) for name in (types if isinstance(types, list) else [types])]
    return [DIALECT_TYPES.get(name, name) for name in names]


_OF_SCHEMAS = ("properties", "patternProperties", "$defs", "definitions")
_OF_LISTS = ("allOf", "anyOf", "prefixItems")
_OF_ONE = ("items", "additionalItems", "additionalProperties", "contains")
_PLAIN_TYPES = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}
_KEPT = ("type", "$ref", "$id", "$schema", "$anchor", "nullable")


@functools.lru_cache(maxsize=1024)
def _type_skeleton(schema_text: str) -> str:
    return json.dumps(_skeleton(json.loads(schema_text)))


@functools.lru_cache(maxsize=1024)
def _plain_types(skeleton_text: str) -> dict[str, type]:
    """Return the types of the parameters for which the schema states one plain type and nothing else."""
    skeleton = json.loads(skeleton_text)
    if not isinstance(skeleton, dict) or not skeleton.keys() <= {"type", "properties", "$schema"}:
        return {}
    properties = skeleton.get("properties")
    if skeleton.get("type", "object") != "object" or not isinstance(properties, dict):
        return {}
    return {
        name: _PLAIN_TYPES[part["type"]]
        for name, part in properties.items()
        if isinstance(part, dict) and part.keys() == {"type"} and str(part["type"]) in _PLAIN_TYPES
    }


def _skeleton(schema: Any) -> Any:
    """Return the schema reduced to types; ``oneOf`` becomes ``anyOf``, because several may fit without the rest."""
    if not isinstance(schema, dict):
        return True
    kept: dict[str, Any] = {word: schema[word] for word in _KEPT if word in schema}
    for word in _OF_SCHEMAS:
        if isinstance(schema.get(word), dict):
            kept[word] = {name: _skeleton(part) for name, part in schema[word].items()}
    for word in _OF_ONE:
        if isinstance(schema.get(word), dict):
            kept[word] = _skeleton(schema[word])
    for word in _OF_LISTS:
        if isinstance(schema.get(word), list) and schema[word]:
            kept[word] = [_skeleton(part) for part in schema[word]]
    if isinstance(schema.get("items"), list):
        kept["items"] = [_skeleton(part) for part in schema["items"]]
    if isinstance(schema.get("oneOf"), list) and schema["oneOf"]:
        kept["allOf"] = [*kept.get("allOf", ()), {"anyOf": [_skeleton(part) for part in schema["oneOf"]]}]
    return kept


def _merge(schema: Any, root: Mapping[str, Any], depth: int) -> Parameters:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return Parameters()
    properties, required = schema.get("properties"), schema.get("required")
    names = required if isinstance(required, list | tuple) else ()
    others = schema.get("additionalProperties")
    own = Parameters(
        properties=properties if isinstance(properties, Mapping) else {},
        required=frozenset(name for name in names if isinstance(name, str)),
        are_known=isinstance(properties, Mapping),
        accepts_others=others is True or isinstance(others, Mapping) or bool(schema.get("patternProperties")),
    )
    for part in _subschemas(schema, "allOf"):
        own = _combine(own, _merge(part, root, depth + 1), both=True)
    if "$ref" in schema:
        own = _combine(own, _merge(_resolve_reference(schema["$ref"], root), root, depth + 1), both=True)
    for word in ("anyOf", "oneOf"):
        for part in _subschemas(schema, word):
            own = _combine(own, _merge(part, root, depth + 1), both=False)
    return own


def _combine(left: Parameters, right: Parameters, *, both: bool) -> Parameters:
    """Return two parts of one schema; of alternatives (not ``both``) none can require what the other does not know."""
    return Parameters(
        properties={**right.properties, **left.properties},
        required=left.required | right.required if both else left.required,
        are_known=left.are_known or right.are_known,
        accepts_others=left.accepts_others or (right.accepts_others and right.are_known),
    )


def _subschemas(schema: Mapping[str, Any], word: str) -> list[Any]:
    parts = schema.get(word)
    return parts if isinstance(parts, list) else []


def _resolve_reference(ref: Any, root: Mapping[str, Any]) -> Any:
    """Resolve a reference inside the schema; return ``None`` if it cannot be resolved."""
    if not isinstance(ref, str) or not ref.startswith("#"):
        return None
    node: Any = root
    for part in ref[1:].strip("/").split("/") if ref not in ("#", "#/") else ():
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, Mapping) else None
    return node


def _coerce(value: Any, schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return value
    if "$ref" in schema:
        value = _coerce(value, _resolve_reference(schema["$ref"], root), root, depth + 1)
    for part in _subschemas(schema, "allOf"):
        value = _coerce(value, part, root, depth + 1)
    for word in ("anyOf", "oneOf"):
        branches = _subschemas(schema, word)
        if not any(_fits(value, branch, root) for branch in branches):
            readings = ((_coerce(value, branch, root, depth + 1), branch) for branch in branches)
            value = next((read for read, branch in readings if _fits(read, branch, root)), value)
    value = _as_type(value, _json_types(schema["type"]) if "type" in schema else [])
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(value, dict) and isinstance(properties, Mapping):
        return {name: _coerce(part, properties.get(name), root, depth + 1) for name, part in value.items()}
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_coerce(part, items, root, depth + 1) for part in value]
    return value


def _fits(value: Any, branch: Any, root: Mapping[str, Any]) -> bool:
    outer = {word: root[word] for word in ("$schema", "$defs", "definitions") if word in root}
    return not type_violations("value", value, {**outer, "properties": {"value": branch}})


def _as_type(value: Any, types: list[str]) -> Any:
    if not types or any(_is_of_type(value, name) for name in types):
        return value
    for name in types:
        read = _READINGS[name](value) if name in _READINGS else value
        if _is_of_type(read, name):
            return read
    return value


def _is_of_type(value: Any, name: str) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return _is_number(value) and value == value // 1
        case "number":
            return _is_number(value)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read_number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return value


def _read_boolean(value: Any) -> Any:
    return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value


def _read_string(value: Any) -> Any:
    return value if value is None or isinstance(value, str | dict | list) else json.dumps(value)


def _read_json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _read_array(value: Any) -> Any:
    """Return a list written as JSON text, or else one item as a list of itself."""
    read = _read_json(value)
    return read if isinstance(read, list) else [value]


_READINGS: Mapping[str, Callable[[Any], Any]] = {
    "number": _read_number,
    "integer": _read_number,
    "boolean": _read_boolean,
    "string": _read_string,
    "object": _read_json,
    "array": _read_array,
}
