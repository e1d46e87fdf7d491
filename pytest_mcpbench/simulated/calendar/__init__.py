"""A simulated calendar app: its world, its recurring events and the MCP server in front."""
