"""A simulated Gmail mailbox: its world, its search language and the MCP server in front."""
