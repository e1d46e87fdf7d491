"""Canonical form of the tools that a server lists, shared by lock files and schema snapshots.

A tool is a JSON object in the spelling of the protocol. Members without a value are left out, because SDKs differ in
whether they send ``null``, ``{}`` or nothing. Lists and members keep the server's order, in which an agent reads them.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import with_directory
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.text.json_reading import map_texts
from pytest_mcpbench.text.paths import SANDBOX

_WIRE_NAMES = {"input_schema": "inputSchema", "output_schema": "outputSchema", "meta": "_meta"}
"""Names that SDKs use in their own objects, and the names of the protocol."""
_FOR_CLIENTS = ("title", "annotations", "_meta", "icons")
_OPTIONAL = ("title", "description", "outputSchema", "annotations", "_meta", "icons", "execution")


@dataclass(frozen=True)
class ToolDefinition:
    """One tool as its server defines it."""

    canonical: Mapping[str, Any]
    """The tool in its canonical form; see :func:`canonical_tool`."""

    @property
    def name(self) -> str:
        return str(self.canonical.get("name", ""))

    @property
    def title(self) -> str:
        return str(self.canonical.get("title", ""))

    @property
    def description(self) -> str:
        return str(self.canonical.get("description", ""))

    @property
    def input_schema(self) -> dict[str, Any]:
        return _object(self.canonical.get("inputSchema"))

    @property
    def output_schema(self) -> dict[str, Any] | None:
        schema = self.canonical.get("outputSchema")
        return schema if isinstance(schema, dict) else None

    @property
    def annotations(self) -> dict[str, Any]:
        return _object(self.canonical.get("annotations"))

    @property
    def promises_to_read_only(self) -> bool:
        """Return whether the tool's annotations say that it changes nothing."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def properties(self) -> dict[str, Any]:
        """Return the schemas of the parameters, by name."""
        return _object(self.input_schema.get("properties"))

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the required parameters."""
        return tuple(self.input_schema.get("required") or ())

    def spec(self, server: str) -> ToolSpec:
        """Return the tool as agents see it."""
        hints = {"title": self.title, **self.annotations} if self.title else self.annotations
        return ToolSpec(
            name=self.name,
            server=server,
            tool=self.name,
            description=self.description,
            input_schema=self.input_schema,
            output_schema=self.output_schema,
            annotations=hints,
            listing={name: self.canonical[name] for name in _FOR_CLIENTS if name in self.canonical},
        )


@dataclass(frozen=True)
class ServerDefinition:
    """Everything that a client sees of a server before the first call."""

    name: str
    """Name of the server in the configuration."""
    tools: tuple[ToolDefinition, ...] = ()
    """In the server's order."""
    instructions: str = ""
    implementation: str | None = None
    """Name that the server gives itself. Its version is left out, because many servers report that of their SDK."""
    protocol: str | None = None

    def tool(self, name: str) -> ToolDefinition | None:
        """Return the first tool of a name."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def with_texts(self, change: Callable[[str], str]) -> "ServerDefinition":
        """Return what a client sees of the server with each text as a function returns it."""
        tools = tuple(ToolDefinition(map_texts(tool.canonical, change)) for tool in self.tools)
        return replace(self, tools=tools, instructions=change(self.instructions))

    def in_directory(self, directory: Callable[[], Path]) -> "ServerDefinition":
        """Return what a client sees of the server when it works in a directory, which the definition calls
        ``{sandbox}``; the function that returns the directory is called if the definition names it.
        """
        return self.with_texts(lambda text: with_directory(text, directory)) if self._names_directory else self

    @cached_property
    def _names_directory(self) -> bool:
        return SANDBOX in canonical_json([self.instructions, *(tool.canonical for tool in self.tools)])


def canonical_tools(listing: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the canonical form of a server's answer to ``tools/list``."""
    return [canonical_tool(tool) for tool in listing]


def canonical_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool with the protocol's names and without optional members that have no value."""
    named = {_WIRE_NAMES.get(name, name): value for name, value in tool.items()}
    return {
        name: value
        for name, value in named.items()
        if value is not None and not (name in _OPTIONAL and value in ("", {}, []))
    }


def tool_definitions(listing: Iterable[Mapping[str, Any]]) -> tuple[ToolDefinition, ...]:
    """Return the definitions of a server's answer to ``tools/list``."""
    return tuple(ToolDefinition(tool) for tool in canonical_tools(listing))


def canonical_json(value: Any) -> str:
    """Return JSON that is equal for equal values, whatever the order of their members."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
