"""Texts of a tool's definition that an agent reads, by their place."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.schema_structure import TEXT_KEYWORDS, all_subschemas

Place = tuple[str, ...]
"""Path from the tool to a text, such as ``("inputSchema", "properties", "city", "description")``."""

INPUT, OUTPUT = "inputSchema", "outputSchema"


def texts_of(tool: ToolDefinition) -> dict[Place, str]:
    """Return each text by its place: titles and descriptions of the tool and of everything in its schemas."""
    texts: dict[Place, Any] = {(name,): tool.canonical.get(name) for name in ("title", "description")}
    texts["annotations", "title"] = tool.annotations.get("title")
    for section in (INPUT, OUTPUT):
        schema = tool.canonical.get(section)
        for path, part in all_subschemas(schema) if isinstance(schema, Mapping) else ():
            texts.update({(section, *path, keyword): part[keyword] for keyword in part if keyword in TEXT_KEYWORDS})
    return {
        place: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for place, value in texts.items()
        if value not in (None, "", [])
    }


def place_name(place: Place) -> str:
    """Return a place as people write it: ``description``, ``description of filter.since``, ``title of result``."""
    if place[0] not in (INPUT, OUTPUT):
        return ".".join(place)
    result = ["result"] if place[0] == OUTPUT else []
    names = ".".join([*result, *_member_names(place[1:-1])]).replace(".[]", "[]")
    return f"{place[-1]} of {names or 'the input'}"


_BEFORE_A_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def _member_names(path: Place) -> Iterator[str]:
    """Yield the names of the members that a path leads through."""
    parts = iter(path)
    for part in parts:
        if part in _BEFORE_A_NAME:
            yield next(parts)
        elif part == "items":
            yield "[]"
