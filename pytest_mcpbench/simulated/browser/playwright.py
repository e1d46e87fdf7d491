"""Playwright server: eleven tools of ``@executeautomation/playwright-mcp-server`` over the simulated sites."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.browser.session import BrowserSession
from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure

Selector = Annotated[str, Field(description="CSS selector of the element, or text= and what the element shows")]


def playwright_navigate(session: BrowserSession, url: Annotated[str, Field(description="Address to open")]) -> str:
    """Open a page in the Playwright browser."""
    session.navigate(url)
    return f"Navigated to {url}"


def playwright_click(session: BrowserSession, selector: Selector) -> str:
    """Click an element of the open page."""
    session.click(selector)
    return f"Clicked element: {selector}"


def playwright_fill(
    session: BrowserSession, selector: Selector, value: Annotated[str, Field(description="Text to put there")]
) -> str:
    """Fill in a field of a form."""
    session.fill(selector, value)
    return f"Filled {selector} with: {value}"


def playwright_select(
    session: BrowserSession, selector: Selector, value: Annotated[str, Field(description="Value of the option")]
) -> str:
    """Choose an option of a drop-down list."""
    session.select(selector, value)
    return f"Selected {selector} with: {value}"


def playwright_press_key(
    session: BrowserSession,
    key: Annotated[str, Field(description="Name of the key, such as Enter or Escape")],
    selector: Annotated[
        str | None, Field(description="Element that gets the focus before; without it no field has the focus")
    ] = None,
) -> str:
    """Press a key of the keyboard."""
    session.press(key, selector)
    return f"Pressed key: {key}"


def playwright_screenshot(
    session: BrowserSession,
    name: Annotated[str, Field(description="What to call the picture")],
    selector: Annotated[str | None, Field(description="Only this element")] = None,
) -> Any:
    """Take a picture of the open page, or of one element."""
    picture = session.screenshot(name, selector)
    return [Content(type="text", text=f"Screenshot also stored in memory with name: '{name}'"), picture]


def playwright_get_visible_text(session: BrowserSession) -> str:
    """Read everything that the open page shows."""
    return f"Visible text content:\n{session.text()}"


def playwright_get_visible_html(session: BrowserSession) -> str:
    """Get the HTML of the open page, which tells the ids of its elements and the values of its lists."""
    return f"HTML content:\n{session.page.source.strip()}"


def playwright_go_back(session: BrowserSession) -> str:
    """Return to the page before this one."""
    session.back()
    return "Navigated back in browser history"


def playwright_get(_session: BrowserSession, url: Annotated[str, Field(description="Address to request")]) -> str:
    """Send an HTTP GET request to an API, without the browser."""
    if sites.host_of(url) not in sites.hosts():
        raise ToolFailure(f"apiRequestContext.get: getaddrinfo ENOTFOUND {sites.host_of(url)}")
    response = sites.fetch(url)
    return f"Performed GET Operation {url}\nResponse: {response.text.strip()}\nResponse code {response.status}"


def playwright_close(session: BrowserSession) -> str:
    """Close the browser."""
    session.close()
    return "Browser closed successfully"


SIMULATION = Simulation(
    name="playwright",
    state=BrowserSession,
    tools=(
        playwright_navigate,
        playwright_click,
        playwright_fill,
        playwright_select,
        playwright_press_key,
        playwright_screenshot,
        playwright_get_visible_text,
        playwright_get_visible_html,
        playwright_go_back,
        playwright_get,
        playwright_close,
    ),
    dialect=ZOD,
    failure="Operation failed: {message}",
)
server = SIMULATION.server
"""Factory of a server with a browser for one attempt."""
