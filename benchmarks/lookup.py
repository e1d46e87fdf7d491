"""MCP server of the benchmarks: one stateless tool, in process through its factory or as a command over stdio."""

from mcp.server import MCPServer


def server() -> MCPServer:
    """Return a new server object."""
    mcp_server = MCPServer("lookup", log_level="CRITICAL")

    @mcp_server.tool()
    async def look_up(key: str) -> str:
        """Return the value stored under a key."""
        return f"value of {key}"

    return mcp_server


if __name__ == "__main__":
    server().run()
