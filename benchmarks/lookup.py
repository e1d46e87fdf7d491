"""The MCP server of the benchmarks: one tool without state, in process by its factory or as a command over stdio."""

from mcp.server import MCPServer


def server() -> MCPServer:
    """A new server object."""
    made = MCPServer("lookup", log_level="CRITICAL")

    @made.tool()
    async def look_up(key: str) -> str:
        """The value that is kept under a key."""
        return f"value of {key}"

    return made


if __name__ == "__main__":
    server().run()
