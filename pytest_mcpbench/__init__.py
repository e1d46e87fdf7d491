"""Benchmark tasks as pytest test cases, for LLM agents and MCP servers."""

__version__ = "0.1.0"
