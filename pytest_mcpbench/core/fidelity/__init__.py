"""How closely a simulated server answers as the real one does (MCP-Persona 4.3, Table 4)."""
