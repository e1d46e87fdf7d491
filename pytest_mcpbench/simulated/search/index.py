"""The content that the search engines index: every page of the simulated sites and of the small web."""

from functools import cache

from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.websearch.page import Page
from pytest_mcpbench.simulated.websearch.world import Web


@cache
def web() -> Web:
    """Return the pages with an index of their words, built once per process."""
    return Web(sites.indexable_pages())


def page_at(url: str) -> Page | None:
    """Return the page at an address; a trailing slash is ignored."""
    return next((page for page in sites.indexable_pages() if page.url.rstrip("/") == url.rstrip("/")), None)


def on_host(url: str) -> list[Page]:
    """Return the pages on the same host as the address."""
    host = sites.host_of(url)
    return [page for page in sites.indexable_pages() if sites.host_of(page.url) == host]
