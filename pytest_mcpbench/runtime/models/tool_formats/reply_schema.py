"""JSON schema of a reply: one of the tools, a list of calls, or the answer."""

from collections.abc import Sequence
from typing import Any

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.models.tool_formats.json_calls import RESPOND

_MOST_CALLS = 10
"""Calls of one reply; without a limit, small models write calls without end."""
_STRUCTURAL = {
    "type", "required", "items", "prefixItems", "enum", "const", "anyOf", "oneOf", "allOf",
    "additionalProperties", "minItems", "maxItems", "properties", "$defs", "definitions", "$ref",
}  # fmt: skip
"""Keywords that servers translate to grammars; others, such as ``pattern``, are refused by some of them."""
_NAMED_SCHEMAS = {"properties", "$defs", "definitions"}
_SCHEMAS = {"items", "additionalProperties"}
_LISTS_OF_SCHEMAS = {"anyOf", "oneOf", "allOf", "prefixItems"}


def reply_schema(tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:
    """Return the ``response_format``; ``settings`` say if there must be a call, and if there may be several."""
    definitions = {f"tool_{number}": _grammar(tool, f"tool_{number}") for number, tool in enumerate(tools)}
    calls = [_call(tool.name, {"$ref": f"#/$defs/{name}"}) for name, tool in zip(definitions, tools, strict=True)]
    wanted = [call for call in calls if settings.tool_choice in (None, "auto", "required", _name(call))]
    alternatives = [*wanted]
    if settings.parallel_calls is not False:
        alternatives.append({"type": "array", "items": {"anyOf": wanted}, "minItems": 1, "maxItems": _MOST_CALLS})
    if settings.tool_choice in (None, "auto"):
        alternatives.append(_call(RESPOND, _TEXT))
    schema = {"anyOf": alternatives, "$defs": definitions}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    properties = {"name": {"const": name}, "arguments": arguments}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _name(call: dict[str, Any]) -> str:
    return str(call["properties"]["name"]["const"])


def _grammar(tool: ToolSpec, definition: str) -> dict[str, Any]:
    """Return the structure of the arguments, with references that are valid inside ``$defs``."""
    schema = {"type": "object", "properties": {}, **tool.input_schema}
    reduced: dict[str, Any] = _reduced(schema, f"#/$defs/{definition}")
    return reduced


def _reduced(schema: Any, root: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: _reduced_value(key, value, root) for key, value in schema.items() if key in _STRUCTURAL}


def _reduced_value(key: str, value: Any, root: str) -> Any:
    if key == "$ref":
        return root + str(value).removeprefix("#")
    if key in _NAMED_SCHEMAS and isinstance(value, dict):
        return {name: _reduced(schema, root) for name, schema in value.items()}
    if key in _LISTS_OF_SCHEMAS and isinstance(value, list):
        return [_reduced(schema, root) for schema in value]
    return _reduced(value, root) if key in _SCHEMAS else value
