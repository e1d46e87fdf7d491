"""Looking things up on the small web, which is nobody's own."""

from typing import Any

from pytest_mcpbench.generation.persona.deed import Deed, found

SERVER = "websearch"


def search(query: str) -> Deed:
    """Search."""
    return found(SERVER, "search", {"query": query}, f"search the web for '{query}'")


def page(url: str, *values: Any) -> Deed:
    """Read a page."""
    return found(SERVER, "fetch_content", {"url": url}, f"read {url}", *values)
