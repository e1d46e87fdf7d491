"""The Tavily server: search, extraction and site maps of ``tavily-mcp`` over the simulated sites."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure
from pytest_mcpbench.simulated.search import index


def tavily_search(
    _world: None,
    query: Annotated[str, Field(description="Words to look for")],
    max_results: Annotated[int, Field(description="How many results at most", ge=1, le=20)] = 5,
    search_depth: Annotated[Literal["basic", "advanced"], Field(description="How thoroughly to look")] = "basic",  # noqa: ARG001
    topic: Annotated[Literal["general", "news"], Field(description="Where to look")] = "general",  # noqa: ARG001
) -> Any:
    """Search the web; each result has title, address and the beginning of the page."""
    results = index.web().search(query, max_results)
    return {
        "query": query,
        "results": [{"title": each.title, "url": each.url, "content": each.lead} for each in results],
    }


def tavily_extract(
    _world: None,
    urls: Annotated[list[str], Field(description="Addresses of the pages")],
    extract_depth: Annotated[Literal["basic", "advanced"], Field(description="How thoroughly to read")] = "basic",  # noqa: ARG001
) -> Any:
    """Get the whole text of one or more pages."""
    pages = [(url, index.page_at(url)) for url in urls]
    failed = [{"url": url, "error": "Failed to fetch url"} for url, page in pages if page is None]
    if len(failed) == len(urls):
        raise ToolFailure(f"Tavily API error: could not be found: {', '.join(urls)}")
    return {
        "results": [{"url": page.url, "title": page.title, "raw_content": page.text} for _, page in pages if page],
        "failed_results": failed,
    }


def tavily_map(
    _world: None,
    url: Annotated[str, Field(description="Where to begin")],
    limit: Annotated[int, Field(description="How many addresses at most", ge=1)] = 50,
) -> Any:
    """List the addresses of the pages that a site has."""
    pages = index.on_host(url)
    if not pages:
        raise ToolFailure(f"Tavily API error: could not be found: {url}")
    return {"base_url": url, "results": [page.url for page in pages[:limit]]}


SIMULATION = Simulation(
    name="tavily",
    state=lambda _world: None,
    tools=(tavily_search, tavily_extract, tavily_map),
    dialect=ZOD,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
