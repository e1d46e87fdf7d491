"""MCP servers that ship with the plugin; each instance has its own world."""
