"""The websites that the browser can reach: files in ``pages/``, by host and path, and the pages of the web search
world.

In a page, ``{{name}}`` is replaced by a value of the form whose submission led to it. An element with
``data-if="name"`` is shown only if its text contains that value. A form with ``data-accept`` leads to its target only
when it is submitted with those values, and to the page in ``data-refuse`` otherwise.
"""

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from pytest_mcpbench.simulated.browser.document import PageElement, parse_html
from pytest_mcpbench.simulated.websearch.page import Page, read_page
from pytest_mcpbench.simulated.websearch.world import PAGES as WEBSEARCH_PAGES

Address = tuple[str, str]
"""Host and path; the path of a host's home page is ``index``."""

_PAGES = Path(__file__).with_name("pages")
_VALUE = re.compile(r"\{\{(\w+)\}\}")


class SiteResponse(NamedTuple):
    """A server's response to a request."""

    status: int
    text: str


@cache
def hosts() -> frozenset[str]:
    """Return the hosts of all simulated sites."""
    return frozenset(host for host, _ in _files())


@cache
def indexable_pages() -> tuple[Page, ...]:
    """Return the pages that a search engine can index because they need no form values."""
    site_pages: list[Page] = []
    for (host, path), text in _site_files().items():
        if text.startswith("<") and not _VALUE.search(text):
            url = f"https://{host}/{'' if path == 'index' else path}"
            title = re.search(r"<title>(.*?)</title>", text)
            site_pages.append(Page(url, html.unescape(title[1]) if title else "", "2026-02-14", parse_html(text).text))
    return (*site_pages, *_websearch_pages())


def host_of(url: str) -> str | None:
    """Return the host of a web address, or ``None`` if the address is not an HTTP URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None


def fetch(url: str) -> SiteResponse:
    """Return the response for an address: a page, data, or a 404 page."""
    text = _files().get((host_of(url) or "", _path(url)))
    if text is None:
        return SiteResponse(404, "<html><body><h1>404 Not Found</h1></body></html>")
    return SiteResponse(200, text)


def document(url: str) -> PageElement:
    """Return the page at the address as the browser displays it, with the values of the query filled in."""
    values = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    filled_html = _VALUE.sub(lambda found: html.escape(values.get(found[1], "")), fetch(url).text)
    root = parse_html(filled_html)
    _remove_hidden(root, values)
    return root


@cache
def _files() -> Mapping[Address, str]:
    """Return the contents of all pages and data files by address."""
    files: dict[Address, str] = {}
    for page in _websearch_pages():
        paragraphs = "\n".join(f"<p>{html.escape(line)}</p>" for line in page.body.splitlines() if line.strip())
        title = html.escape(page.title)
        files[host_of(page.url) or "", _path(page.url)] = (
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1>\n{paragraphs}</body></html>"
        )
    return {**files, **_site_files()}


@cache
def _site_files() -> Mapping[Address, str]:
    """Return the contents of the files in ``pages/`` by address; the suffix ``.html`` is not part of an address."""
    files = {}
    for path in sorted(_PAGES.rglob("*.*")):
        if path.is_file():
            host, *rest = path.relative_to(_PAGES).parts
            name = Path(*rest).with_suffix("") if path.suffix == ".html" else Path(*rest)
            files[host, name.as_posix()] = path.read_text(encoding="utf-8")
    return files


@cache
def _websearch_pages() -> tuple[Page, ...]:
    return tuple(read_page(path.read_text(encoding="utf-8")) for path in sorted(WEBSEARCH_PAGES.glob("*.md")))


def _path(url: str) -> str:
    return urlsplit(url).path.strip("/") or "index"


def _remove_hidden(element: PageElement, values: Mapping[str, str]) -> None:
    element.children = [child for child in element.children if isinstance(child, str) or _is_shown(child, values)]
    for child in element.children:
        if isinstance(child, PageElement):
            _remove_hidden(child, values)


def _is_shown(element: PageElement, values: Mapping[str, str]) -> bool:
    name = element.attributes.get("data-if")
    return name is None or values.get(name, "").casefold() in element.text.casefold()
