# ruff: noqa: D417 (the first parameter is the state, which is not part of the tool)
"""The web search server: the tools of ``duckduckgo-mcp-server`` 0.1.1 (nickclyde, MIT) over the small web.

Names, parameters, responses and errors are the real server's, with three exceptions: a page that cannot be read is
flagged with ``isError``, where the real server returns only the text; results show the beginning of a page instead of a
passage; and requests are never late or refused.
"""

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation
from pytest_mcpbench.simulated.websearch.page import Page
from pytest_mcpbench.simulated.websearch.world import Web

_NO_RESULTS = (
    "No results were found for your search query. This could be due to DuckDuckGo's bot detection or the query "
    "returned no matches. Please try rephrasing your search or try again in a few minutes."
)


def search(web: Web, query: str, max_results: int = 10) -> str:
    """
    Look for web pages about something; gives titles, addresses and how each page begins.

    Args:
        query: Words to look for
        max_results: How many pages to list at most (default: 10)
    """
    pages = web.search(query, max_results)
    if not pages:
        return _NO_RESULTS
    return "\n".join([f"Found {len(pages)} search results:\n", *map(_entry, range(1, len(pages) + 1), pages)])


def _entry(position: int, page: Page) -> str:
    return f"{position}. {page.title}\n   URL: {page.url}\n   Summary: {page.lead}\n"


def fetch_content(web: Web, url: str) -> str:
    """
    Read the text of one web page.

    Args:
        url: Address of the page
    """
    return web.read(url)


SIMULATION = Simulation(name="ddg-search", state=Web.of, tools=(search, fetch_content), dialect=FASTMCP)
server = SIMULATION.server
"""Factory that builds the server over the small web."""
