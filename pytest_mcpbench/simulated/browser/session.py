"""State of one browser window: the current page, the values typed into its forms, and the history.

The tree is ``{window: {url, history: [url], values: {field: value}, screenshots: [{name, url}]}}``.
"""

from base64 import b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode, urljoin

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.browser.document import PageElement, SelectorError, select_first
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.engine.png import grey_png

_WIDTH, _HEIGHT = 64, 48


_WINDOW = "window"


def _new_window() -> dict[str, object]:
    return {_WINDOW: {"url": "", "history": [], "values": {}, "screenshots": []}}


class BrowserSession:
    """The browser window of one attempt."""

    def __init__(self, world: World) -> None:
        self.tree = world.tree(_new_window)

    @property
    def url(self) -> str:
        """Address of the current page; empty before the first navigation."""
        return str(self._get("url"))

    @property
    def page(self) -> PageElement:
        """The current page; reading it raises :class:`ToolFailure` before the first navigation."""
        if not self.url:
            raise ToolFailure("no page is open: session not found, navigate to a page first")
        return sites.document(self.url)

    def navigate(self, url: str) -> None:
        """Open an address."""
        host = sites.host_of(url)
        if host is None:
            raise ToolFailure(f'page.goto: Protocol error (Page.navigate): Cannot navigate to invalid URL "{url}"')
        if host not in sites.hosts():
            raise ToolFailure(f"page.goto: net::ERR_NAME_NOT_RESOLVED at {url}")
        if self.url:
            self._update({"history": [*self._get("history"), self.url]})
        self._update({"url": url, "values": {}})

    def back(self) -> None:
        """Return to the previous page; do nothing if there is none."""
        history = self._get("history")
        if history:
            self._update({"url": history[-1], "history": history[:-1], "values": {}})

    def click(self, selector: str) -> None:
        """Follow a link or submit a form; a click on any other element has no effect."""
        element = self._element(selector)
        link = element if element.tag == "a" else element.ancestor("a")
        if link is not None and "href" in link.attributes:
            self.navigate(urljoin(self.url, link.attributes["href"]))
        elif element.tag == "button" or element.attributes.get("type") == "submit":
            self._submit(element)

    def fill(self, selector: str, value: str) -> None:
        """Replace the value of a text field."""
        element = self._element(selector)
        if element.tag not in ("input", "textarea"):
            raise ToolFailure(
                "Error: Element is not an <input>, <textarea> or [contenteditable] element: invalid target"
            )
        self._set(element, value)

    def select(self, selector: str, value: str) -> None:
        """Choose an option of a drop-down list by its value."""
        element = self._element(selector)
        if element.tag != "select":
            raise ToolFailure("Error: Element is not a <select> element: invalid target")
        if value not in [each.attributes.get("value") for each in element.descendants() if each.tag == "option"]:
            raise ToolFailure(f"Timeout 30000ms exceeded: did not find some options: '{value}'")
        self._set(element, value)

    def press(self, key: str, selector: str | None) -> None:
        """Press a key; Enter in a field submits its form."""
        element = self._element(selector) if selector is not None else None
        if key == "Enter" and element is not None:
            self._submit(element)

    def text(self, selector: str | None = None) -> str:
        """Return the visible text of the page or of one element."""
        return self.page.text if selector is None else self._element(selector).text

    def screenshot(self, name: str, selector: str | None = None) -> Content:
        """Return a picture of the page or of one element; equal texts produce equal pictures."""
        text = self.text(selector)
        self._update({"screenshots": [*self._get("screenshots"), {"name": name, "url": self.url}]})
        # A small grey picture whose shades are derived from the text.
        digest = sha256(text.encode()).digest()
        rows = [bytes(digest[(x // 8 + y // 8 * 3) % 32] for x in range(_WIDTH)) for y in range(_HEIGHT)]
        return Content(type="image", mime_type="image/png", data=b64encode(grey_png(rows)).decode())

    def close(self) -> None:
        """Close the window."""
        self._update({"url": "", "history": [], "values": {}})

    def _get(self, field: str) -> Any:
        return self.tree.get(f"{_WINDOW}.{field}")

    def _update(self, fields: dict[str, Any]) -> None:
        self.tree.update(_WINDOW, fields)

    def _element(self, selector: str) -> PageElement:
        try:
            element = select_first(self.page, selector)
        except SelectorError as error:
            raise ToolFailure(f"SyntaxError: {error}") from error
        if element is None:
            raise ToolFailure(f"Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('{selector}')")
        return element

    def _set(self, element: PageElement, value: str) -> None:
        self._update({"values": {**self._get("values"), _name(element): value}})

    def _submit(self, element: PageElement) -> None:
        form = element.ancestor("form")
        if form is None:
            return
        entered = self._get("values")
        fields = [field for field in form.descendants() if field.tag in ("input", "select", "textarea")]
        values = {_name(field): entered.get(_name(field), _initial(field)) for field in fields}
        if any("required" in field.attributes and not values.get(_name(field)) for field in form.descendants()):
            return
        target = form.attributes.get("action", "")
        conditions = form.attributes.get("data-accept")
        pairs = (pair.partition("=") for pair in conditions.split(";")) if conditions else ()
        if not all(values.get(name) == value for name, _, value in pairs):
            target = form.attributes["data-refuse"]
        self.navigate(f"{urljoin(self.url, target)}?{urlencode(values)}")


def _name(element: PageElement) -> str:
    return element.attributes.get("name") or element.attributes.get("id", "")


def _initial(element: PageElement) -> str:
    if element.tag == "select":
        first = next((each for each in element.descendants() if each.tag == "option"), None)
        return first.attributes.get("value", "") if first else ""
    return element.attributes.get("value", "")
