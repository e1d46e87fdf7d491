import pytest


@pytest.mark.mcpbench(server="trams")
def test_tools(mcp_tools, tool_schema_snapshot):
    """A changed name, description or schema fails; `pytest --snapshot-update` accepts it."""
    assert mcp_tools == tool_schema_snapshot
