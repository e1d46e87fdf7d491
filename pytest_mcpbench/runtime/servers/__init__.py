"""Connections to MCP servers: in process, as a child process, or by URL."""
