"""MCP-Pools of MCP-RADAR's appendix C."""

import json
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
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


@pytest.mark.parametrize("key", ["s3cr3t-of-ann's", "short", "k1"])
def test_what_variables_give_is_written_by_their_names_and_other_keys_are_removed(key: str) -> None:
    database = "postgresql://ann:s3cret@10.0.0.1/db"
    headers = {"Authorization": "Bearer ${MY_KEY}", "X-Team": "blue"}
    url = "https://example.org/v1/mcp?apiKey=${MY_KEY}&other=0a1b2c3d4e5f"
    written = {
        "command": {
            "command": "npx",
            "args": ["-y", "x-mcp@1.2.3", "--api-key", "${MY_KEY}", database],
            "env": {"KEY": "${MY_KEY}"},
        },
        "url": {"url": url, "type": "sse", "headers": headers},
    }
    servers = read_mcp_json(json.dumps({"mcpServers": written}), "mcp.json", {"MY_KEY": key}).servers
    of_command, of_url = mcp_pool((ref, ServerDefinition(name)) for name, ref in servers.items())["mcp_pool"]
    ((config,), (remote,)) = of_command["run_config"], of_url["run_config"]
    assert config["command"].startswith("npx -y x-mcp@1.2.3 --api-key '${MY_KEY}' ")
    assert "s3cret" not in config["command"]
    assert config["env"] == {"KEY": "${MY_KEY}"}
    assert remote["url"] == "https://example.org/v1/mcp?apiKey=${MY_KEY}"
    assert remote["headers"]["X-Team"] == "${X_TEAM}"
    assert key not in json.dumps((config, remote))


def test_a_server_that_no_program_can_start_is_left_out_when_a_pool_is_read() -> None:
    inside = ServerRef(name="inside", transport="in_process", factory="a:server")
    remote = ServerRef(name="remote", transport="sse", url="https://example.org/events")
    content = mcp_pool((ref, ServerDefinition(ref.name)) for ref in (inside, remote))
    read = read_mcp_json(json.dumps(content), "mcp.json", {})
    assert read.servers == {"remote": remote}
    assert read.warnings == ("mcp.json: server 'inside' has no `run_config` and was left out",)


def test_two_servers_of_a_pool_with_one_name_are_refused() -> None:
    entries = [{"name": name, "run_config": [{"command": "npx x"}]} for name in ("Fire Crawl", "Fire-Crawl")]
    with pytest.raises(TaskError, match=r"mcp_pool\[1\].name.*both are called 'Fire-Crawl' here"):
        read_mcp_json(json.dumps({"mcp_pool": entries}), "mcp.json", {})


def test_a_variable_that_is_no_secret_takes_no_part_of_a_secret_away() -> None:
    password = "prod-9f8a7b6c2d"
    stdio = {"command": "npx", "args": ["srv", "--password", password], "env": {"API_KEY": password, "S": "${STAGE}"}}
    url = {"url": "https://bob:hunter2secret@host/mcp", "headers": {"X-Mode": "${MODE}"}}
    written = json.dumps({"mcpServers": {"a": stdio, "b": url}})
    servers = read_mcp_json(written, "mcp.json", {"STAGE": "prod", "MODE": "http"}).servers
    text = json.dumps(mcp_pool([(ref, ServerDefinition(name)) for name, ref in servers.items()]))
    assert [each for each in ("9f8a7b6c2d", "hunter2secret", "bob") if each in text] == []
    assert '"url": "https://host/mcp"' in text
