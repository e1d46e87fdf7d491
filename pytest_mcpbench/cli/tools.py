"""``mcpbench tools``: list the tools of servers, as a client sees them."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.pool import mcp_pool
from pytest_mcpbench.reporting.forms.display_text import terminal_safe
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write JSON: server -> answer to tools/list")
    form.add_argument("--mcp-pool", action="store_true", help="write JSON: an MCP-Pool of MCP-RADAR (appendix C)")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    servers = selected_servers(options)
    definitions = anyio.run(_definitions, servers)
    if options.mcp_pool:
        pool = mcp_pool((server.ref, replace(definitions[server.name], name=server.name)) for server in servers)
        write_text([json.dumps(pool, indent=2, ensure_ascii=False) + "\n"], None)
    elif options.json:
        content = {name: [dict(tool.canonical) for tool in each.tools] for name, each in definitions.items()}
        write_text([json.dumps(content, indent=2, ensure_ascii=False) + "\n"], None)
    else:
        write_text(_as_text(definitions), None)
    return 0


async def _definitions(servers: list[ConfiguredServer]) -> dict[str, ServerDefinition]:
    async with ServerPool(root=Path.cwd()) as pool:
        return {server.name: await pool.definition(server.ref) for server in servers}


def _as_text(definitions: dict[str, ServerDefinition]) -> Iterator[str]:
    for name, definition in definitions.items():
        count = "1 tool" if len(definition.tools) == 1 else f"{len(definition.tools)} tools"
        yield f"{name}: {count}\n"
        for tool in definition.tools:
            text = f"\n  {tool.name}\n"
            if tool.description.strip():
                text += "".join(f"      {line.strip()}\n" for line in tool.description.strip().splitlines())
            for parameter, schema in tool.properties.items():
                text += f"      - {parameter}: {_parameter_text(schema, is_required=parameter in tool.required)}\n"
            yield terminal_safe(text)


def _parameter_text(schema: Any, *, is_required: bool) -> str:
    schema = schema if isinstance(schema, dict) else {}
    kinds = schema.get("type") or " or ".join(
        str(part.get("type", "any")) for part in schema.get("anyOf", ()) if isinstance(part, dict)
    )
    text = " or ".join(kinds) if isinstance(kinds, list) else str(kinds or "any")
    text += f", one of {', '.join(map(str, schema['enum']))}" if isinstance(schema.get("enum"), list) else ""
    text += ", required" if is_required else ""
    text += f", default {json.dumps(schema['default'], ensure_ascii=False)}" if "default" in schema else ""
    described = str(schema.get("description") or "").strip()
    return f"{text}. {described}" if described else text
