"""A page as a tree of elements, found by CSS selectors and read as text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Union

_VOID = frozenset({"input", "br", "img", "meta", "link", "hr"})
_BLOCKS = frozenset({"p", "h1", "h2", "li", "tr", "dt", "dd", "form", "nav", "table", "ul", "dl", "option", "button"})
_UNSEEN = frozenset({"head", "title", "script", "style", "option"})
_SIMPLE = re.compile(
    r"#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)|\[(?P<name>[\w-]+)(?:\s*=\s*[\"']?(?P<value>[^\"'\]]*)[\"']?)?\]|(?P<tag>[\w*][\w-]*)"
)


class SelectorError(ValueError):
    """A selector that is none, or of a kind that is not supported."""


@dataclass(eq=False)
class Element:
    """An element with its attributes and what is in it."""

    tag: str
    attributes: dict[str, str]
    parent: "Element | None" = None
    children: list[Union["Element", str]] = field(default_factory=list)

    def descendants(self) -> Iterator["Element"]:
        """Every element below, in document order."""
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.descendants()

    def ancestor(self, tag: str) -> "Element | None":
        """The nearest element around it with the tag."""
        above = self.parent
        while above is not None and above.tag != tag:
            above = above.parent
        return above

    @property
    def text(self) -> str:
        """What can be read: one block a line."""
        lines = (" ".join(line.split()) for line in "".join(self._text()).split("\n"))
        return "\n".join(line for line in lines if line)

    def _text(self) -> Iterator[str]:
        if self.tag in _UNSEEN:
            return
        edge = "\n" if self.tag in _BLOCKS else " " if self.tag in ("td", "th") else ""
        yield edge
        for child in self.children:
            if isinstance(child, Element):
                yield from child._text()
            else:
                yield " ".join(child.split("\n"))
        yield edge


def parsed(html: str) -> Element:
    """The root of the page; what is not closed ends with what is around it."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


def selected(root: Element, selector: str) -> Element | None:
    """The first element that a selector means: compounds of tag, ``#id``, ``.class`` and ``[name=value]`` with spaces
    or ``>`` between them, or ``text=…``.
    """
    if selector.startswith("text="):
        wanted = selector.removeprefix("text=").strip("\"'").casefold()
        return next((each for each in _innermost_first(root) if each.text.casefold() == wanted), None)
    parts = selector.replace(">", " > ").split()
    if not parts or parts[-1] == ">":
        raise SelectorError(f"'{selector}' is not a valid selector")
    return next((each for each in root.descendants() if _fits(each, parts)), None)


def _innermost_first(root: Element) -> Iterator[Element]:
    return iter(sorted(root.descendants(), key=lambda each: sum(1 for _ in each.descendants())))


def _fits(element: Element, parts: list[str]) -> bool:
    *before, own = parts
    if not _is(element, own):
        return False
    if not before:
        return True
    if before[-1] == ">":
        return element.parent is not None and _fits(element.parent, before[:-1])
    above = element.parent
    while above is not None:
        if _fits(above, before):
            return True
        above = above.parent
    return False


def _is(element: Element, compound: str) -> bool:
    position = 0
    while position < len(compound):
        found = _SIMPLE.match(compound, position)
        if found is None:
            raise SelectorError(f"'{compound}' is not a valid selector")
        if not _has(element, found):
            return False
        position = found.end()
    return True


def _has(element: Element, simple: re.Match[str]) -> bool:
    attributes = element.attributes
    if simple["id"]:
        return attributes.get("id") == simple["id"]
    if simple["class"]:
        return simple["class"] in attributes.get("class", "").split()
    if simple["name"]:
        given = attributes.get(simple["name"])
        return given is not None and simple["value"] in (None, given)
    return simple["tag"] in ("*", element.tag)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("document", {})
        self._open = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self._open)
        self._open.children.append(element)
        if tag not in _VOID:
            self._open = element

    def handle_endtag(self, tag: str) -> None:
        closing = self._open if self._open.tag == tag else self._open.ancestor(tag)
        if closing is not None and closing.parent is not None:
            self._open = closing.parent

    def handle_data(self, data: str) -> None:
        self._open.children.append(data)
