# ruff: noqa: D417 (the first parameter is the state, no part of the tool)
"""The web search server: the tools of ``duckduckgo-mcp-server`` 0.1.1 (nickclyde, MIT) over the small web.

Names, parameters, answers and errors are the real server's, but for three things: a page that cannot be read is flagged
(``isError``), where the real server answers with the text alone; results show how a page begins instead of a passage;
and no request is ever late or refused.
"""

from pytest_mcpbench.simulated.engine import FASTMCP, Simulation
from pytest_mcpbench.simulated.websearch.page import Page
from pytest_mcpbench.simulated.websearch.world import Web

_NOTHING = (
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
    found = web.search(query, max_results)
    if not found:
        return _NOTHING
    return "\n".join([f"Found {len(found)} search results:\n", *map(_entry, range(1, len(found) + 1), found)])


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
"""The factory: a server over the small web."""
