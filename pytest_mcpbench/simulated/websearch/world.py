"""The small web: pages that can be searched and read, and nothing else.

Every attempt begins with the pages in ``pages/`` (about islands that do not exist), unless a task brings its own:
``{"pages": {url: {title, date, body}}}``. Nothing changes it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.text_search.bm25 import Index
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.websearch.page import Page, read_page

PAGES = Path(__file__).with_name("pages")
_MOST_RESULTS = 10
_TITLE, _BODY = 3.0, 1.0
"""How much a word counts by where it stands."""
_LONGEST = 8000
_NOT_FOUND = (
    "Error: Could not access the webpage (Client error '404 Not Found' for url '{url}'\n"
    "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404)"
)
_NO_HOST = "Error: Could not access the webpage ([Errno -2] Name or service not known)"
_NO_SCHEME = "Error: Could not access the webpage (Request URL is missing an 'http://' or 'https://' protocol.)"
_OTHER_SCHEME = "Error: Could not access the webpage (Request URL has an unsupported protocol '{scheme}://'.)"


class Web:
    """Pages by address, and an index of their words."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = tuple(pages)
        self._by_address = {_address(page.url): page for page in self._pages}
        self._hosts = {urlsplit(page.url).hostname for page in self._pages}
        self._index = Index([((terms(page.title), _TITLE), (terms(page.text), _BODY)) for page in self._pages])

    @classmethod
    def of(cls, world: World) -> "Web":
        """The web of one attempt; that of ``pages/`` is read and indexed once a process."""
        return shipped() if world.seed is None else cls(_seeded(world.seed))

    def search(self, query: str, limit: int = _MOST_RESULTS) -> list[Page]:
        """The pages that share words with the query, best first; one at least where there are any, ten at most."""
        scores = self._index.scores({term: float(count) for term, count in Counter(terms(query)).items()})
        ranked = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
        return [self._pages[place] for _, place in ranked[: min(max(limit, 1), _MOST_RESULTS)]]

    def read(self, url: str) -> str:
        """The text of a page, cut after 8,000 characters; :class:`ToolFailure` where there is none at the address."""
        scheme = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*)://", url)
        if scheme is None:
            raise ToolFailure(_NO_SCHEME)
        if scheme[1].lower() not in ("http", "https"):
            raise ToolFailure(_OTHER_SCHEME.format(scheme=scheme[1]))
        page = self._by_address.get(_address(url))
        if page is None:
            raise ToolFailure(_NOT_FOUND.format(url=url) if _host(url) in self._hosts else _NO_HOST)
        return page.text if len(page.text) <= _LONGEST else page.text[:_LONGEST] + "... [content truncated]"


@cache
def shipped() -> Web:
    """The web in ``pages/``."""
    files = sorted(PAGES.glob("*.md"))
    return Web(read_page(file.read_text(encoding="utf-8")) for file in files)


def _seeded(seed: Any) -> list[Page]:
    pages = seed.get("pages") if isinstance(seed, Mapping) else None
    if not isinstance(pages, Mapping):
        raise SandboxError('the seed of a small web is {"pages": {url: {"title": …, "date": …, "body": …}}}.')
    return [Page(url, one["title"], one.get("date", ""), one["body"]) for url, one in pages.items()]


def _host(url: str) -> str | None:
    try:
        return urlsplit(url.strip()).hostname
    except ValueError:
        return None


def _address(url: str) -> tuple[str, str, str]:
    """What two ways to write one address have in common."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ("", url, "")
    return host, parts.path.rstrip("/"), parts.query
