"""Actions on the simulated web: searching and reading pages."""

from typing import Any

from pytest_mcpbench.generation.persona.request import Action, lookup

SERVER = "websearch"


def search(query: str) -> Action:
    """Search the web."""
    return lookup(SERVER, "search", {"query": query}, f"search the web for '{query}'")


def read_page(url: str, *values: Any) -> Action:
    """Read a page."""
    return lookup(SERVER, "fetch_content", {"url": url}, f"read {url}", *values)
