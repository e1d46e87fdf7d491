"""Ids of servers without a name."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.manifest import UNNAMED
from pytest_mcpbench.loaders.mcp_json import server_from_line
from pytest_mcpbench.suite_files.configured_servers import server_ids


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("env ROOT={sandbox} A=b ./bin/notes --fast", "notes"),
        ("env ROOT=x python3 server.py", "server.py"),
        ("uvx mcp-server-time --local-timezone UTC", "mcp-server-time"),
        ("env", "env"),
    ],
)
def test_a_server_is_called_by_the_program_that_its_command_starts(command: str, label: str) -> None:
    ref = ServerRef.model_validate({"name": UNNAMED, **server_from_line(UNNAMED, command)})
    assert list(server_ids([(Path("a.mcpbench.yaml"), ref)])) == [label]
