"""Connections to MCP servers: in this process, in a child process, or by URL."""
