"""Fidelity of a simulated server to the real one (MCP-Persona 4.3, Table 4)."""
