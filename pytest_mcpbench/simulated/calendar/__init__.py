"""Simulated calendar app: its world, recurring events and MCP server."""
