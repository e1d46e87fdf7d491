"""The small web: pages that can be searched and read, and nothing else.

Every attempt begins with the pages in ``pages/`` (about islands that do not exist), unless a task has its own:
``{"pages": {url: {title, date, body}}}``. The pages never change.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.websearch.page import Page, read_page
from pytest_mcpbench.text.search import Index
from pytest_mcpbench.text.words import terms

PAGES = Path(__file__).with_name("pages")
_MAX_RESULTS = 10
_TITLE, _BODY = 3.0, 1.0
"""Weight of a word in the title and in the body."""
_MAX_CHARACTERS = 8000
_NOT_FOUND = (
    "Error: Could not access the webpage (Client error '404 Not Found' for url '{url}'\n"
    "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404)"
)
_NO_HOST = "Error: Could not access the webpage ([Errno -2] Name or service not known)"
_NO_SCHEME = "Error: Could not access the webpage (Request URL is missing an 'http://' or 'https://' protocol.)"
_OTHER_SCHEME = "Error: Could not access the webpage (Request URL has an unsupported protocol '{scheme}://'.)"


class Web:
    """Pages by address, with an index of their words."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = tuple(pages)
        self._by_address = {_address(page.url): page for page in self._pages}
        self._hosts = {urlsplit(page.url).hostname for page in self._pages}
        self._index = Index([((terms(page.title), _TITLE), (terms(page.text), _BODY)) for page in self._pages])

    @classmethod
    def of(cls, world: World) -> "Web":
        """Return the web of one attempt; the pages in ``pages/`` are read and indexed once per process."""
        if world.seed is None:
            return packaged_web()
        pages = world.seed.get("pages") if isinstance(world.seed, Mapping) else None
        if not isinstance(pages, Mapping):
            raise SandboxError('the seed of a small web is {"pages": {url: {"title": …, "date": …, "body": …}}}.')
        return cls([Page(url, one["title"], one.get("date", ""), one["body"]) for url, one in pages.items()])

    def search(self, query: str, limit: int = _MAX_RESULTS) -> list[Page]:
        """Return the pages that share words with the query, best first; the limit is kept between one and ten."""
        scores = self._index.scores({term: float(count) for term, count in Counter(terms(query)).items()})
        best_first = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
        return [self._pages[place] for _, place in best_first[: min(max(limit, 1), _MAX_RESULTS)]]

    def read(self, url: str) -> str:
        """Return the text of a page, cut after 8,000 characters.

        Raises:
            ToolFailure: the address is invalid or has no page.
        """
        scheme = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*)://", url)
        if scheme is None:
            raise ToolFailure(_NO_SCHEME)
        if scheme[1].lower() not in ("http", "https"):
            raise ToolFailure(_OTHER_SCHEME.format(scheme=scheme[1]))
        page = self._by_address.get(_address(url))
        if page is None:
            try:
                host = urlsplit(url.strip()).hostname
            except ValueError:
                host = None
            raise ToolFailure(_NOT_FOUND.format(url=url) if host in self._hosts else _NO_HOST)
        return (
            page.text if len(page.text) <= _MAX_CHARACTERS else page.text[:_MAX_CHARACTERS] + "... [content truncated]"
        )


@cache
def packaged_web() -> Web:
    """Return the web in ``pages/``."""
    files = sorted(PAGES.glob("*.md"))
    return Web(read_page(file.read_text(encoding="utf-8")) for file in files)


def _address(url: str) -> tuple[str, str, str]:
    """Return a canonical form of an address, equal for different notations of the same address."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ("", url, "")
    return host, parts.path.rstrip("/"), parts.query
