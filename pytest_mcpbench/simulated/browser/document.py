"""HTML page parsed into a tree of elements that CSS selectors can search and that can be read as text."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Union

_VOID_TAGS = frozenset({"input", "br", "img", "meta", "link", "hr"})
_BLOCK_TAGS = frozenset(
    {"p", "h1", "h2", "li", "tr", "dt", "dd", "form", "nav", "table", "ul", "dl", "option", "button"}
)
_INVISIBLE = frozenset({"head", "title", "script", "style", "option"})
_SIMPLE_SELECTOR = re.compile(
    r"#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)|\[(?P<name>[\w-]+)(?:\s*=\s*[\"']?(?P<value>[^\"'\]]*)[\"']?)?\]|(?P<tag>[\w*][\w-]*)"
)

_TAG_WITH_TEXT = re.compile(r"(?P<tag>\w+):has-text\((?P<mark>[\"'])(?P<text>.+)(?P=mark)\)")


class SelectorError(ValueError):
    """An invalid or unsupported selector."""


@dataclass(eq=False)
class PageElement:
    """An element with its attributes and children."""

    tag: str
    attributes: dict[str, str]
    parent: "PageElement | None" = None
    children: list[Union["PageElement", str]] = field(default_factory=list)

    def descendants(self) -> Iterator["PageElement"]:
        """Yield all elements below this one in document order."""
        for child in self.children:
            if isinstance(child, PageElement):
                yield child
                yield from child.descendants()

    def ancestor(self, tag: str) -> "PageElement | None":
        """Return the nearest enclosing element with the tag, or ``None``."""
        enclosing = self.parent
        while enclosing is not None and enclosing.tag != tag:
            enclosing = enclosing.parent
        return enclosing

    @property
    def text(self) -> str:
        """Visible text of the element, with one block element per line."""
        lines = (" ".join(line.split()) for line in "".join(self._text()).split("\n"))
        return "\n".join(line for line in lines if line)

    @property
    def source(self) -> str:
        """HTML of the element, as it is after all changes to the tree."""
        inner = "".join(
            each.source if isinstance(each, PageElement) else html.escape(each, quote=False) for each in self.children
        )
        if self.parent is None:
            return inner
        attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in self.attributes.items())
        return f"<{self.tag}{attributes}>" + ("" if self.tag in _VOID_TAGS else f"{inner}</{self.tag}>")

    def _text(self) -> Iterator[str]:
        if self.tag in _INVISIBLE:
            return
        edge = "\n" if self.tag in _BLOCK_TAGS else " " if self.tag in ("td", "th") else ""
        yield edge
        for child in self.children:
            if isinstance(child, PageElement):
                yield from child._text()
            else:
                yield " ".join(child.split("\n"))
        yield edge


def parse_html(source: str) -> PageElement:
    """Parse a page and return its root element; an unclosed element ends where its parent ends."""
    builder = _Builder()
    builder.feed(source)
    builder.close()
    return builder.root


def select_first(root: PageElement, selector: str) -> PageElement | None:
    """Return the first element that matches a selector, or ``None``.

    A selector consists of compounds of tag, ``#id``, ``.class`` and ``[name=value]``, joined by spaces or ``>``; or it
    is ``text=…`` with a part of the text that the element shows, or with all of it in quotation marks, or
    ``a:has-text("…")`` with a part of the text of an element with that tag.
    """
    told = _TAG_WITH_TEXT.fullmatch(selector.strip())
    if told:
        tagged = (each for each in root.descendants() if each.tag == told["tag"])
        return next((each for each in tagged if _shows(each, told["text"], is_all=False)), None)
    if selector.startswith("text="):
        text = selector.removeprefix("text=").strip()
        whole = text.strip("\"'")
        innermost_first = sorted(root.descendants(), key=lambda each: sum(1 for _ in each.descendants()))
        return next((each for each in innermost_first if _shows(each, whole, is_all=whole != text)), None)
    parts = selector.replace(">", " > ").split()
    if not parts or parts[-1] == ">":
        raise SelectorError(f"'{selector}' is not a valid selector")
    return next((each for each in root.descendants() if _matches_selector(each, parts)), None)


def _shows(element: PageElement, text: str, *, is_all: bool) -> bool:
    shown = element.text
    return shown == text if is_all else bool(text) and text.casefold() in shown.casefold()


def _matches_selector(element: PageElement, parts: list[str]) -> bool:
    *ancestors, last = parts
    if not _matches_compound(element, last):
        return False
    if not ancestors:
        return True
    if ancestors[-1] == ">":
        return element.parent is not None and _matches_selector(element.parent, ancestors[:-1])
    enclosing = element.parent
    while enclosing is not None:
        if _matches_selector(enclosing, ancestors):
            return True
        enclosing = enclosing.parent
    return False


def _matches_compound(element: PageElement, compound: str) -> bool:
    position = 0
    while position < len(compound):
        match = _SIMPLE_SELECTOR.match(compound, position)
        if match is None:
            raise SelectorError(f"'{compound}' is not a valid selector")
        attributes = element.attributes
        if match["id"]:
            is_match = attributes.get("id") == match["id"]
        elif match["class"]:
            is_match = match["class"] in attributes.get("class", "").split()
        elif match["name"]:
            value = attributes.get(match["name"])
            is_match = value is not None and match["value"] in (None, value)
        else:
            is_match = match["tag"] in ("*", element.tag)
        if not is_match:
            return False
        position = match.end()
    return True


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = PageElement("document", {})
        self._open = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = PageElement(tag, {name: value or "" for name, value in attrs}, self._open)
        self._open.children.append(element)
        if tag not in _VOID_TAGS:
            self._open = element

    def handle_endtag(self, tag: str) -> None:
        closing = self._open if self._open.tag == tag else self._open.ancestor(tag)
        if closing is not None and closing.parent is not None:
            self._open = closing.parent

    def handle_data(self, data: str) -> None:
        self._open.children.append(data)
