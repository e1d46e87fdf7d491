"""Servers with their tools in the format of MCP-RADAR's appendix C (MCP-Pool)."""

import shlex
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition


def mcp_pool(servers: Iterable[tuple[ServerRef, ServerDefinition]]) -> dict[str, Any]:
    """Return a pool of servers. Environment variables have their names as values: their own may be secrets."""
    return {"mcp_pool": [_server(ref, definition) for ref, definition in servers]}


def _server(ref: ServerRef, definition: ServerDefinition) -> dict[str, Any]:
    return {
        "name": definition.name,
        "description": definition.instructions,
        "tools": [_tool(tool) for tool in definition.tools],
        "run_config": _run_config(ref),
    }


def _run_config(ref: ServerRef) -> list[dict[str, Any]]:
    if ref.url:
        return [{"url": ref.url}]
    if ref.command:
        environment = {name: f"${{{name}}}" for name in ref.environment}
        return [{"command": shlex.join([ref.command, *ref.arguments]), "env": environment}]
    return []


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    schemas = {name: schema if isinstance(schema, dict) else {} for name, schema in tool.properties.items()}
    inputs = [
        {
            "name": name,
            "type": schema.get("type"),
            "required": name in tool.required,
            "description": schema.get("description", ""),
        }
        for name, schema in schemas.items()
    ]
    return {"tool_name": tool.name, "tool_description": tool.description, "inputs": inputs}
