"""MCP servers that ship with the plugin, each over a world of its own."""
