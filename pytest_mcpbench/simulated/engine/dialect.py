"""How the SDK of the real server writes schemas and errors."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError


@dataclass(frozen=True)
class Dialect:
    """What the servers of one SDK have in common."""

    schema: Callable[[dict[str, Any]], dict[str, Any]]
    """pydantic's schema of the arguments -> the SDK's."""
    invalid: Callable[[str, ValidationError, dict[str, Any]], str]
    """Tool, what is wrong with the arguments, and the schema -> message."""
    unknown_tool: str
    """Message with ``{name}``."""
    strict: bool
    """Whether ``"5"`` is no number."""
    closed: bool
    """Whether arguments that the schema lacks are refused."""
    nullable: bool
    """Whether an argument that may be left out may also be null."""
    wrapped: bool = True
    """Whether messages about arguments and unknown tools have the form of the server's other failures."""


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of pydantic as people write one: definitions in place, no titles, no defaults that are null."""
    plain: dict[str, Any] = _plain(schema, schema.get("$defs", {}))
    return plain


def _plain(schema: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        extras = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain(definitions[schema["$ref"].rsplit("/", 1)[-1]] | extras, definitions)
    kept = {key: value for key, value in schema.items() if key not in ("title", "$defs", "properties", "default")}
    made = {key: _plain(value, definitions) for key, value in kept.items()}
    if "properties" in schema:
        made["properties"] = {name: _plain(value, definitions) for name, value in schema["properties"].items()}
    if schema.get("default") is not None:
        made["default"] = schema["default"]
    return made


def _zod_schema(schema: dict[str, Any]) -> dict[str, Any]:
    closed: dict[str, Any] = closed_schema(plain_schema(schema))
    return closed | {"$schema": "http://json-schema.org/draft-07/schema#"}


def closed_schema(schema: Any) -> Any:
    """The schema with every object closed that does not say what else it may hold."""
    if isinstance(schema, list):
        return [closed_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = ("properties", "default", "const", "enum", "examples")
    made = {key: value if key in kept else closed_schema(value) for key, value in schema.items()}
    if "properties" in schema:
        made["properties"] = {name: closed_schema(value) for name, value in schema["properties"].items()}
        made["additionalProperties"] = False
    if schema.get("type") == "object" and "properties" not in schema and "additionalProperties" not in schema:
        made |= {"properties": {}, "additionalProperties": False}
    return made


def _zod_issues(_tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """The list of issues that is the message of a ``ZodError``."""
    issues = [_zod_issue(each["type"], each["loc"], each["input"], schema) for each in error.errors(include_url=False)]
    return json.dumps(issues, indent=2, ensure_ascii=False)


def _sdk_message(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    issues = _zod_issues(tool, error, schema)
    return f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {issues}"


def _zod_issue(kind: str, place: tuple[str | int, ...], given: Any, schema: dict[str, Any]) -> dict[str, Any]:
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        *owner, key = place
        message = f"Unrecognized key(s) in object: '{key}'"
        return {"code": "unrecognized_keys", "keys": [key], "path": owner, "message": message}
    wanted = _at(schema, place)
    if kind == "missing":
        expected = _zod_type(wanted)
        return _zod_mismatch(expected, "undefined", place, "Required")
    if "enum" in wanted and isinstance(given, str):
        options = " | ".join(f"'{option}'" for option in wanted["enum"])
        message = f"Invalid enum value. Expected {options}, received '{given}'"
        choices = {"code": "invalid_enum_value", "options": wanted["enum"]}
        return {"received": given, **choices, "path": list(place), "message": message}
    if kind == "literal_error" and "const" in wanted:
        facts = {"received": given, "code": "invalid_literal", "expected": wanted["const"], "path": list(place)}
        return {**facts, "message": f"Invalid literal value, expected {json.dumps(wanted['const'])}"}
    if kind in _BOUNDS:
        return _zod_bound(*_BOUNDS[kind], wanted, place)
    expected, received = _zod_type(wanted), _zod_type_of(given)
    return _zod_mismatch(expected, received, place, f"Expected {expected}, received {received}")


_BOUNDS = {
    "greater_than_equal": ("too_small", "minimum", "greater than or equal to"),
    "less_than_equal": ("too_big", "maximum", "less than or equal to"),
}


def _zod_bound(
    code: str, bound: str, relation: str, wanted: Mapping[str, Any], place: tuple[str | int, ...]
) -> dict[str, Any]:
    facts = {"code": code, bound: wanted.get(bound), "type": "number", "inclusive": True, "exact": False}
    return {**facts, "message": f"Number must be {relation} {wanted.get(bound)}", "path": list(place)}


def _zod_mismatch(expected: str, received: str, place: tuple[str | int, ...], message: str) -> dict[str, Any]:
    facts = {"code": "invalid_type", "expected": expected, "received": received}
    return {**facts, "path": list(place), "message": message}


def _at(schema: dict[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
    for step in place:
        inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
        schema = inner if isinstance(inner, dict) else {}
    return schema


def _zod_type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(f"'{option}'" for option in schema["enum"])
    return str(schema.get("type", "object"))


def _zod_type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "object")


def _as_it_is(schema: dict[str, Any]) -> dict[str, Any]:
    return schema


def _pydantic_message(tool: str, error: ValidationError, _schema: dict[str, Any]) -> str:
    return f"Error executing tool {tool}: {error}"


ZOD = Dialect(
    schema=_zod_schema,
    invalid=_zod_issues,
    unknown_tool="Unknown tool: {name}",
    strict=True,
    closed=True,
    nullable=False,
)
"""Servers of the TypeScript SDK that check their arguments with zod."""

TYPESCRIPT = replace(ZOD, invalid=_sdk_message, unknown_tool="MCP error -32602: Tool {name} not found", wrapped=False)
"""Servers of the TypeScript SDK that leave the check of their arguments to it."""


def _open_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return plain_schema(schema) | {"$schema": "http://json-schema.org/draft-07/schema#"}


def _zod4_message(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    issues = "\n".join(_zod4_issue(each, schema) for each in error.errors(include_url=False))
    return f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {issues}"


def _zod4_issue(issue: Any, schema: dict[str, Any]) -> str:
    """One issue and, behind it, its place in dots and brackets."""
    kind, place = issue["type"], issue["loc"]
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")
    return f"{_zod4_complaint(kind, _at(schema, place), issue['input'])} at {shown}"


def _zod4_complaint(kind: str, wanted: dict[str, Any], given: Any) -> str:
    if kind == "missing":
        return f"Invalid input: expected {wanted.get('type', 'object')}, received undefined"
    if "enum" in wanted:
        return "Invalid option: expected one of " + "|".join(json.dumps(option) for option in wanted["enum"])
    if kind == "too_short":
        return f"Too small: expected array to have >={wanted.get('minItems', 1)} items"
    return f"Invalid input: expected {wanted.get('type', 'object')}, received {_zod_type_of(given)}"


ZOD4 = replace(TYPESCRIPT, schema=_open_schema, invalid=_zod4_message, closed=False)
"""As :data:`TYPESCRIPT`, with the fourth version of zod: objects are open, and each complaint is a line."""

FASTMCP = Dialect(
    schema=_as_it_is,
    invalid=_pydantic_message,
    unknown_tool="Unknown tool: {name}",
    strict=False,
    closed=False,
    nullable=True,
)
"""Servers of the Python SDK, whose schemas and messages are pydantic's."""


def _json_schema_message(_tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """The first complaint, in the words of the library ``jsonschema``."""
    first = error.errors(include_url=False)[0]
    return "Input validation error: " + _json_schema_complaint(first["type"], first["loc"], first["input"], schema)


def _json_schema_complaint(kind: str, place: tuple[str | int, ...], given: Any, schema: dict[str, Any]) -> str:
    wanted = _at(schema, place)
    if kind == "missing":
        return f"{place[-1]!r} is a required property"
    if kind == "greater_than_equal":
        return f"{given!r} is less than the minimum of {wanted['minimum']}"
    if kind == "less_than_equal":
        return f"{given!r} is greater than the maximum of {wanted['maximum']}"
    if "enum" in wanted and isinstance(given, str):
        return f"{given!r} is not one of {wanted['enum']!r}"
    return f"{given!r} is not of type {wanted.get('type', 'object')!r}"


PYTHON_SDK = Dialect(
    schema=plain_schema,
    invalid=_json_schema_message,
    unknown_tool="Unknown tool: {name}",
    strict=True,
    closed=False,
    nullable=False,
    wrapped=False,
)
"""Servers of the Python SDK that write their schemas by hand, against which it checks the arguments."""
