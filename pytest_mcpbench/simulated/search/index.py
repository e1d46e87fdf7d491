"""What the search engines know: every page of the simulated sites and of the small web."""

from functools import cache

from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.websearch.page import Page
from pytest_mcpbench.simulated.websearch.world import Web


@cache
def web() -> Web:
    """The pages with an index of their words, made once a process."""
    return Web(sites.readable())


def page_at(url: str) -> Page | None:
    """The page at an address; a final slash does not count."""
    return next((page for page in sites.readable() if page.url.rstrip("/") == url.rstrip("/")), None)


def on_host(url: str) -> list[Page]:
    """The pages of the address's host."""
    host = sites.host_of(url)
    return [page for page in sites.readable() if sites.host_of(page.url) == host]
