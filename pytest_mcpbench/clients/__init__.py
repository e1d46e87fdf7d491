"""MCP clients: what they show their models, as profiles for built-in agents."""
