"""``mcpbench tools --mcp-pool``: servers with their tools, without their keys."""

import json
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main

SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")


@server.tool()
def read(path: str) -> str:
    return path


server.run()
"""


def test_a_pool_has_the_names_of_variables_and_no_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MY_KEY", "it's-9-secret")
    (tmp_path / "notes.py").write_text(SERVER)
    command = {"command": sys.executable, "args": [str(tmp_path / "notes.py"), "--api-key", "${MY_KEY}"]}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"my-notes": command}}))
    assert main(["tools", "--mcp-pool", "--directory", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    (server,) = json.loads(shown)["mcp_pool"]
    assert (server["name"], [tool["tool_name"] for tool in server["tools"]]) == ("my-notes", ["read"])
    assert server["run_config"][0]["command"].endswith("notes.py --api-key '${MY_KEY}'")
    assert "9-secret" not in shown
