"""MCP-Pools of MCP-RADAR's appendix C."""

import json
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.pool import mcp_pool
from pytest_mcpbench.loaders.mcp_json import read_mcp_json

SEARCH = ToolDefinition(
    {
        "name": "firecrawl_search",
        "description": "Search the web.",
        "inputSchema": {
            "properties": {"query": {"type": "string", "description": "your search query"}},
            "required": ["query"],
        },
    }
)
SERVER = ServerRef(
    name="FireCrawl",
    transport="stdio",
    command="npx",
    arguments=("-y", "firecrawl-mcp"),
    environment={"FIRECRAWL_API_KEY": "fc-secret"},
)


def pool() -> dict[str, Any]:
    return mcp_pool([(SERVER, ServerDefinition("FireCrawl", tools=(SEARCH,)))])


def test_a_server_is_written_as_in_the_paper_and_without_its_keys() -> None:
    query = {"name": "query", "type": "string", "required": True, "description": "your search query"}
    tool = {"tool_name": "firecrawl_search", "tool_description": "Search the web.", "inputs": [query]}
    command = {"command": "npx -y firecrawl-mcp", "env": {"FIRECRAWL_API_KEY": "${FIRECRAWL_API_KEY}"}}
    assert pool() == {"mcp_pool": [{"name": "FireCrawl", "description": "", "tools": [tool], "run_config": [command]}]}


def test_a_pool_is_read_as_an_mcp_json() -> None:
    read = read_mcp_json(json.dumps(pool()), "mcp.json", {"FIRECRAWL_API_KEY": "fc-secret"})
    assert read.servers == {"FireCrawl": SERVER.model_copy(update={"variables": {"FIRECRAWL_API_KEY": "fc-secret"}})}
