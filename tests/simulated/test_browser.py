"""The browser servers: pages, forms and history without a network."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.browser.document import SelectorError, parse_html, select_first
from pytest_mcpbench.simulated.browser.playwright import SIMULATION as PLAYWRIGHT
from pytest_mcpbench.simulated.browser.puppeteer import SIMULATION as PUPPETEER
from pytest_mcpbench.simulated.browser.session import BrowserSession
from pytest_mcpbench.simulated.engine import ToolFailure

BOOKS, PORTAL = "https://books.ravenswick.example", "https://portal.fernhill.example"
PAGE = """<body><div id="a" class="x y"><p>one</p><form><input name="q"></form></div>
<p class="x">two <b>bold</b></p><script>no()</script></body>"""


@pytest.fixture
def session() -> BrowserSession:
    return BrowserSession(World("browser", Path("/nonexistent"), DEFAULT_NOW, Ids("browser")))


def _do(session: BrowserSession, tool: str, **arguments: Any) -> Any:
    return PLAYWRIGHT.call(session, f"playwright_{tool}", arguments)


def _read(session: BrowserSession) -> str:
    return str(_do(session, "get_visible_text")).removeprefix("Visible text content:\n")


@pytest.mark.parametrize(
    ("selector", "tag", "text"),
    [
        ("#a", "div", "one"),
        ("p.x", "p", "two bold"),
        (".x.y p", "p", "one"),
        ("div > p", "p", "one"),
        ("input[name='q']", "input", ""),
        ('[name="q"]', "input", ""),
        ("p b", "b", "bold"),
        ("text=bold", "b", "bold"),
        ("text=BOL", "b", "bold"),
        ('text="two bold"', "p", "two bold"),
        ('p:has-text("Bold")', "p", "two bold"),
    ],
)
def test_a_selector_means_the_first_element_that_fits(selector: str, tag: str, text: str) -> None:
    element = select_first(parse_html(PAGE), selector)
    assert element is not None
    assert (element.tag, element.text) == (tag, text)


@pytest.mark.parametrize(
    "selector", ["#b", "div > b", "body > input", "text=nothing", "text='bol'", "text=", "b:has-text('two')"]
)
def test_a_selector_may_mean_nothing(selector: str) -> None:
    assert select_first(parse_html(PAGE), selector) is None


@pytest.mark.parametrize("selector", ["", "p:hover", "p >", "!"])
def test_a_selector_may_be_none(selector: str) -> None:
    with pytest.raises(SelectorError):
        select_first(parse_html(PAGE), selector)


def test_scripts_and_heads_are_not_read() -> None:
    assert parse_html(f"<head><title>T</title></head>{PAGE}").text == "one\ntwo bold"


def test_the_html_of_a_page_is_that_of_its_tree_with_what_was_filled_into_its_address(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/search?q=<b>lighthouse")
    source = str(_do(session, "get_visible_html")).removeprefix("HTML content:\n")
    assert parse_html(source).text == _read(session)
    assert '<form id="search" action="/search"><input id="q" name="q" required=""></form>' in source
    assert "<h1>Results for &lt;b&gt;lighthouse</h1>" in source


def test_a_form_leads_on_with_what_was_filled_in(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/contact")
    _do(session, "fill", selector="#name", value="<b>Nora</b>")
    _do(session, "fill", selector="#email", value="n@x.example")
    _do(session, "select", selector="#topic", value="event")
    _do(session, "click", selector="#send")
    assert "Write to us" in _read(session), "a required field is empty"
    _do(session, "fill", selector="#text", value="Hello")
    _do(session, "click", selector="#send")
    assert _read(session).endswith(
        'Thank you, <b>Nora</b>\nYour message about "event" has reference C-3316. We answer to n@x.example.'
    )


@pytest.mark.parametrize(
    ("password", "heading"), [("lantern-42", "Good morning, nora"), ("wrong", "Wrong name or password")]
)
def test_a_form_may_want_certain_values(session: BrowserSession, password: str, heading: str) -> None:
    _do(session, "navigate", url=f"{PORTAL}/login")
    _do(session, "fill", selector="#user", value="nora")
    _do(session, "fill", selector="#password", value=password)
    _do(session, "press_key", key="Enter", selector="#password")
    assert _read(session).splitlines()[0] == heading


def test_results_are_those_that_have_the_words(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/search?q=BREAD")
    assert _read(session).splitlines()[-2:] == ["Results for BREAD", "An Atlas of Bread, cookery by Jonah Weld"]


def test_going_back_leads_to_the_page_before(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/new")
    _do(session, "click", selector="#salt-road")
    _do(session, "go_back")
    assert session.url == f"{BOOKS}/new"


def test_a_picture_is_an_image_that_depends_on_what_is_seen(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/new")
    _, whole = _do(session, "screenshot", name="whole")
    _, part = PUPPETEER.call(session, "puppeteer_screenshot", {"name": "part", "selector": "h1"})
    assert (whole.type, b64decode(whole.data)[:8]) == ("image", b"\x89PNG\r\n\x1a\n")
    assert whole.data != part.data


def test_an_address_without_a_page_is_a_page_that_says_so(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/nothing")
    assert _read(session) == "404 Not Found"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("navigate", {"url": "https://www.python.org/"}, "net::ERR_NAME_NOT_RESOLVED at https://www.python.org/"),
        ("navigate", {"url": "file:///etc/passwd"}, "Cannot navigate to invalid URL"),
        ("get", {"url": "https://www.python.org/"}, "ENOTFOUND"),
        (
            "click",
            {"selector": "#nothing"},
            "Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#nothing')",
        ),
        ("click", {"selector": "a:hover"}, "is not a valid selector"),
        ("fill", {"selector": "#home", "value": "x"}, "is not an <input>"),
        ("select", {"selector": "#q", "value": "x"}, "is not a <select>"),
    ],
)
def test_what_is_refused(session: BrowserSession, tool: str, arguments: dict[str, Any], message: str) -> None:
    _do(session, "navigate", url=f"{BOOKS}/new")
    with pytest.raises(ToolFailure) as refused:
        _do(session, tool, **arguments)
    assert message in str(refused.value)


def test_nothing_can_be_done_without_a_page(session: BrowserSession) -> None:
    _do(session, "navigate", url=f"{BOOKS}/new")
    _do(session, "close")
    with pytest.raises(ToolFailure, match="no page is open"):
        _do(session, "get_visible_text")


def test_every_link_and_form_leads_to_a_page() -> None:
    broken = []
    for page in sites.indexable_pages():
        host = f"https://{sites.host_of(page.url)}"
        for element in sites.document(page.url).descendants():
            targets = [element.attributes.get(name) for name in ("href", "action", "data-refuse")]
            broken += [(page.url, target) for target in targets if target and sites.fetch(host + target).status != 200]
    assert broken == []
