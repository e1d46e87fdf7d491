"""Schemas and error messages as the SDKs of the real servers write them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError


@dataclass(frozen=True)
class Dialect:
    """Behaviour that all servers built with one SDK share."""

    schema: Callable[[dict[str, Any]], dict[str, Any]]
    """Function that converts pydantic's schema of the arguments to the SDK's form."""
    invalid: Callable[[str, ValidationError, dict[str, Any]], str]
    """Function that formats a validation error, called with the tool's name, the error and the input schema."""
    unknown_tool: str
    """Error message for an unknown tool, with the placeholder ``{name}``."""
    strict: bool
    """Strict type checking: the string ``"5"`` is not accepted as a number."""
    closed: bool
    """Rejection of arguments that the schema does not define."""
    nullable: bool
    """Acceptance of null for an optional argument."""
    wrapped: bool = True
    """Use of the server's usual failure format for messages about invalid arguments and unknown tools."""


def plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Simplify pydantic's schema to the form that people write by hand.

    Definitions are inlined; titles and null defaults are removed.
    """
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
    own_keys = {key: value for key, value in schema.items() if key not in ("title", "$defs", "properties", "default")}
    plain = {key: _plain(value, definitions) for key, value in own_keys.items()}
    if "properties" in schema:
        plain["properties"] = {name: _plain(value, definitions) for name, value in schema["properties"].items()}
    if schema.get("default") is not None:
        plain["default"] = schema["default"]
    return plain


def _zod_schema(schema: dict[str, Any]) -> dict[str, Any]:
    closed: dict[str, Any] = closed_schema(plain_schema(schema))
    return closed | {"$schema": "http://json-schema.org/draft-07/schema#"}


def closed_schema(schema: Any) -> Any:
    """Return the schema with ``additionalProperties: false`` on every object that does not allow other properties."""
    if isinstance(schema, list):
        return [closed_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    literal_keys = ("properties", "default", "const", "enum", "examples")
    closed = {key: value if key in literal_keys else closed_schema(value) for key, value in schema.items()}
    if "properties" in schema:
        closed["properties"] = {name: closed_schema(value) for name, value in schema["properties"].items()}
        closed["additionalProperties"] = False
    if schema.get("type") == "object" and "properties" not in schema and "additionalProperties" not in schema:
        closed |= {"properties": {}, "additionalProperties": False}
    return closed


def _zod_issues(_tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """Format a validation error as the JSON list of issues that is the message of a ``ZodError``."""
    issues = [_zod_issue(each["type"], each["loc"], each["input"], schema) for each in error.errors(include_url=False)]
    return json.dumps(issues, indent=2, ensure_ascii=False)


def _sdk_message(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    issues = _zod_issues(tool, error, schema)
    return f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {issues}"


def _zod_issue(kind: str, location: tuple[str | int, ...], value: Any, schema: dict[str, Any]) -> dict[str, Any]:
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        *owner, key = location
        message = f"Unrecognized key(s) in object: '{key}'"
        return {"code": "unrecognized_keys", "keys": [key], "path": owner, "message": message}
    expected_schema = _schema_at(schema, location)
    if kind == "missing":
        expected = _zod_type(expected_schema)
        return _zod_mismatch(expected, "undefined", location, "Required")
    if "enum" in expected_schema and isinstance(value, str):
        options = " | ".join(f"'{option}'" for option in expected_schema["enum"])
        message = f"Invalid enum value. Expected {options}, received '{value}'"
        choices = {"code": "invalid_enum_value", "options": expected_schema["enum"]}
        return {"received": value, **choices, "path": list(location), "message": message}
    if kind == "literal_error" and "const" in expected_schema:
        facts = {
            "received": value,
            "code": "invalid_literal",
            "expected": expected_schema["const"],
            "path": list(location),
        }
        return {**facts, "message": f"Invalid literal value, expected {json.dumps(expected_schema['const'])}"}
    if kind in _BOUNDS:
        code, bound, relation = _BOUNDS[kind]
        limit = {"code": code, bound: expected_schema.get(bound), "type": "number", "inclusive": True, "exact": False}
        message = f"Number must be {relation} {expected_schema.get(bound)}"
        return {**limit, "message": message, "path": list(location)}
    expected = _zod_type(expected_schema)
    received = "infinity" if kind == "finite_number" else _zod_type_of(value)
    return _zod_mismatch(expected, received, location, f"Expected {expected}, received {received}")


_BOUNDS = {
    "greater_than_equal": ("too_small", "minimum", "greater than or equal to"),
    "less_than_equal": ("too_big", "maximum", "less than or equal to"),
}


def _zod_mismatch(expected: str, received: str, location: tuple[str | int, ...], message: str) -> dict[str, Any]:
    facts = {"code": "invalid_type", "expected": expected, "received": received}
    return {**facts, "path": list(location), "message": message}


def _schema_at(schema: dict[str, Any], location: tuple[str | int, ...]) -> dict[str, Any]:
    for step in location:
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


def _identity(schema: dict[str, Any]) -> dict[str, Any]:
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
"""Dialect of servers built with the TypeScript SDK that validate arguments with zod themselves."""

TYPESCRIPT = replace(ZOD, invalid=_sdk_message, unknown_tool="MCP error -32602: Tool {name} not found", wrapped=False)
"""Dialect of servers built with the TypeScript SDK that let the SDK validate their arguments."""


def _open_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return plain_schema(schema) | {"$schema": "http://json-schema.org/draft-07/schema#"}


def _zod4_message(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    issues: list[str] = []
    for each in error.errors(include_url=False):
        kind, location = each["type"], each["loc"]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).removeprefix(".")
        expected_schema = _schema_at(schema, location)
        value = each["input"]
        if kind == "missing":
            told = f"Invalid input: expected {expected_schema.get('type', 'object')}, received undefined"
        elif "enum" in expected_schema:
            told = "Invalid option: expected one of " + "|".join(
                json.dumps(option) for option in expected_schema["enum"]
            )
        elif kind == "too_short":
            told = f"Too small: expected array to have >={expected_schema.get('minItems', 1)} items"
        else:
            told = f"Invalid input: expected {expected_schema.get('type', 'object')}, received {_zod_type_of(value)}"
        issues.append(f"{told} at {place}")
    listed = "\n".join(issues)
    return f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {listed}"


ZOD4 = replace(TYPESCRIPT, schema=_open_schema, invalid=_zod4_message, closed=False)
"""Variant of :data:`TYPESCRIPT` for zod 4: objects accept additional properties, and each issue is one line."""

FASTMCP = Dialect(
    schema=_identity,
    invalid=_pydantic_message,
    unknown_tool="Unknown tool: {name}",
    strict=False,
    closed=False,
    nullable=True,
)
"""Dialect of servers built with the Python SDK's FastMCP, whose schemas and messages come from pydantic."""


def _json_schema_message(_tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """Format the first error the way the ``jsonschema`` library does."""
    first = error.errors(include_url=False)[0]
    kind, location, value = first["type"], first["loc"], first["input"]
    expected_schema = _schema_at(schema, location)
    if kind == "missing":
        text = f"{location[-1]!r} is a required property"
    elif kind == "greater_than_equal":
        text = f"{value!r} is less than the minimum of {expected_schema['minimum']}"
    elif kind == "less_than_equal":
        text = f"{value!r} is greater than the maximum of {expected_schema['maximum']}"
    elif "enum" in expected_schema and isinstance(value, str):
        text = f"{value!r} is not one of {expected_schema['enum']!r}"
    else:
        text = f"{value!r} is not of type {expected_schema.get('type', 'object')!r}"
    return f"Input validation error: {text}"


PYTHON_SDK = Dialect(
    schema=plain_schema,
    invalid=_json_schema_message,
    unknown_tool="Unknown tool: {name}",
    strict=True,
    closed=False,
    nullable=False,
    wrapped=False,
)
"""Dialect of servers with hand-written schemas, against which the Python SDK validates arguments."""
