"""The sites that the browser reaches: HTML and JSON files below ``pages/``, by host and path, and the small web.

In a page ``{{name}}`` is a value of the form that led to it. An element with ``data-if="name"`` is there only if its
text has the form's value in it; a form with ``data-accept`` leads on only with these values, else to ``data-refuse``.
"""

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from pytest_mcpbench.simulated.browser.document import Element, parsed
from pytest_mcpbench.simulated.websearch.page import Page, read_page
from pytest_mcpbench.simulated.websearch.world import PAGES as SMALL_WEB

Address = tuple[str, str]
"""Host and path; the path of a host's first page is ``index``."""

_PAGES = Path(__file__).with_name("pages")
_VALUE = re.compile(r"\{\{(\w+)\}\}")


class Answer(NamedTuple):
    """What a server gives back."""

    status: int
    text: str


@cache
def hosts() -> frozenset[str]:
    """The hosts that there are."""
    return frozenset(host for host, _ in _files())


@cache
def readable() -> tuple[Page, ...]:
    """Every page that can be read without a form's values, as a search engine knows it; the small web's come last."""
    texts = {
        address: text for address, text in _own_files().items() if text.startswith("<") and not _VALUE.search(text)
    }
    own = [Page(_url(*address), _title(text), "2026-02-14", parsed(text).text) for address, text in texts.items()]
    return (*own, *_small_web())


def host_of(url: str) -> str | None:
    """The host of a web address; ``None`` where it is none."""
    parts = urlsplit(url)
    return parts.hostname if parts.scheme in ("http", "https") else None


def fetched(url: str) -> Answer:
    """What lies at the address: a page, data, or a page that says that there is nothing."""
    text = _files().get((host_of(url) or "", _path(url)))
    if text is None:
        return Answer(404, "<html><body><h1>404 Not Found</h1></body></html>")
    return Answer(200, text)


def document(url: str) -> Element:
    """The page at the address as the browser shows it, with the values of the query put in."""
    values = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    filled = _VALUE.sub(lambda found: html.escape(values.get(found[1], "")), fetched(url).text)
    root = parsed(filled)
    _leave_out(root, values)
    return root


@cache
def _files() -> Mapping[Address, str]:
    """Every page and every piece of data."""
    small_web = {(host_of(page.url) or "", _path(page.url)): _as_html(page) for page in _small_web()}
    return {**small_web, **_own_files()}


@cache
def _own_files() -> Mapping[Address, str]:
    """What lies in ``pages/``; the ending of a page is not part of its address."""
    found = {}
    for path in sorted(_PAGES.rglob("*.*")):
        if path.is_file():
            host, *rest = path.relative_to(_PAGES).parts
            name = Path(*rest).with_suffix("") if path.suffix == ".html" else Path(*rest)
            found[host, name.as_posix()] = path.read_text(encoding="utf-8")
    return found


@cache
def _small_web() -> tuple[Page, ...]:
    return tuple(read_page(path.read_text(encoding="utf-8")) for path in sorted(SMALL_WEB.glob("*.md")))


def _as_html(page: Page) -> str:
    paragraphs = "\n".join(f"<p>{html.escape(line)}</p>" for line in page.body.splitlines() if line.strip())
    head = html.escape(page.title)
    return f"<html><head><title>{head}</title></head><body><h1>{head}</h1>\n{paragraphs}</body></html>"


def _url(host: str, path: str) -> str:
    return f"https://{host}/{'' if path == 'index' else path}"


def _path(url: str) -> str:
    return urlsplit(url).path.strip("/") or "index"


def _title(text: str) -> str:
    found = re.search(r"<title>(.*?)</title>", text)
    return html.unescape(found[1]) if found else ""


def _leave_out(element: Element, values: Mapping[str, str]) -> None:
    element.children = [child for child in element.children if isinstance(child, str) or _is_shown(child, values)]
    for child in element.children:
        if isinstance(child, Element):
            _leave_out(child, values)


def _is_shown(element: Element, values: Mapping[str, str]) -> bool:
    name = element.attributes.get("data-if")
    return name is None or values.get(name, "").casefold() in element.text.casefold()
