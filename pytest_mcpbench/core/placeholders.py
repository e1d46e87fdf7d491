"""Placeholders ``<id_result>`` and ``<id_result.path>`` in reference arguments, which refer to results of calls."""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.prompt import result_text
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.text.paths import part_at

# Decoding of tool results.


def payload(result: ToolResult) -> Any:
    """Return the structured value, or the text as JSON, or each of several blocks as JSON, or the text itself."""
    if result.structured is not None:
        return result.structured
    texts = [block.text for block in result.content if block.text is not None]
    whole = decode_json("\n".join(texts))
    if len(texts) > 1 and isinstance(whole, str):
        return [decode_json(text) for text in texts]
    return whole


def payloads(result: ToolResult) -> tuple[Any, ...]:
    """Return all readings of a result: its structured value and, if different, its text."""
    first = payload(result)
    text = payload(result.model_copy(update={"structured": None}))
    return (first,) if first == text else (first, text)


def decode_json(text: str) -> Any:
    """Return a text's JSON value, or the text itself if it is not valid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


PLACEHOLDER = re.compile(r"<([^<>\s.\[\]]+)_result((?:\.[^<>.\[\]]+|\[-?\d+\])*)>")
"""Groups: the call's id; the path into its result (``.name``, ``.0`` or ``[0]``, repeated)."""

_WRAPPED = {"result"}


def fill_placeholders(value: JsonValue, results: Mapping[str, ToolResult], schema: object = None) -> JsonValue:
    """Return the value with every placeholder replaced; one whose call or path does not exist stays as it is.

    A string that is nothing but a placeholder becomes the result as the schema wants it: its text for a string,
    its decoded value for anything else. Inside a longer string it becomes text.
    """
    schema = _object(schema)
    match value:
        case str():
            whole = PLACEHOLDER.fullmatch(value.strip())
            if whole is None or schema.get("type") == "string":
                return PLACEHOLDER.sub(lambda found: _text(found, results), value)
            return _as_type(_value(whole, results), schema.get("type"))
        case list():
            return [fill_placeholders(item, results, schema.get("items")) for item in value]
        case dict():
            properties = _object(schema.get("properties"))
            return {name: fill_placeholders(item, results, properties.get(name)) for name, item in value.items()}
    return value


def _object(part: object) -> Mapping[str, Any]:
    """Return a part of a schema as an object: servers send schemas of any form."""
    return part if isinstance(part, Mapping) else {}


def _text(found: re.Match[str], results: Mapping[str, ToolResult]) -> str:
    """Return a result's unmodified text ("4.20" stays so) or, with a path, the value at the path."""
    if found[2] or found[1] not in results:
        value = _value(found, results)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return result_text(results[found[1]])


def _value(found: re.Match[str], results: Mapping[str, ToolResult]) -> Any:
    """Return the decoded value that a placeholder refers to; the placeholder itself if there is none."""
    if found[1] not in results:
        return found[0]
    return part_at(unwrap_result(payload(results[found[1]])), found[2], found[0])


def unwrap_result(value: Any) -> Any:
    """Remove the ``{"result": …}`` that MCP SDKs wrap around a structured value that is not an object.

    A text in it that is a JSON object or array is returned as that.
    """
    if not isinstance(value, dict) or value.keys() != _WRAPPED:
        return value
    result = value["result"]
    decoded = decode_json(result) if isinstance(result, str) else result
    return decoded if isinstance(decoded, dict | list) else result


def _as_type(value: Any, wanted: Any) -> JsonValue:
    """Convert a value to the schema's type if that is obvious: text to a number, one value to a list."""
    if wanted in ("integer", "number") and isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        return int(number) if number.is_integer() else number
    if wanted == "array" and not isinstance(value, list):
        return [value]
    return value  # type: ignore[no-any-return]  # decoded JSON
