"""The Google search server: the two tools of ``mcp-google-search`` over the simulated sites."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure
from pytest_mcpbench.simulated.search import index


def google_search(
    _world: None,
    query: Annotated[str, Field(description="Words to look for")],
    num: Annotated[int, Field(description="How many results", ge=1, le=10)] = 5,
) -> Any:
    """Search the web with Google; each result has title, link and snippet."""
    return [{"title": each.title, "link": each.url, "snippet": each.lead} for each in index.web().search(query, num)]


def read_webpage(_world: None, url: Annotated[str, Field(description="Address of the page")]) -> Any:
    """Read one page as plain text."""
    page = index.page_at(url)
    if page is None:
        raise ToolFailure(f"Webpage fetch error: Request failed with status code 404: {url}")
    return {"title": page.title, "text": page.text, "url": page.url}


SIMULATION = Simulation(
    name="google-search",
    state=lambda _world: None,
    tools=(google_search, read_webpage),
    dialect=ZOD,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
