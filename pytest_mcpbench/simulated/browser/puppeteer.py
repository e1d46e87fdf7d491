"""Puppeteer server: five tools of ``@modelcontextprotocol/server-puppeteer`` over the simulated sites."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.browser.session import BrowserSession
from pytest_mcpbench.simulated.engine import ZOD, Simulation

Selector = Annotated[str, Field(description="CSS selector of the element")]


def puppeteer_navigate(session: BrowserSession, url: Annotated[str, Field(description="Address to open")]) -> str:
    """Open a page in the Puppeteer browser."""
    session.navigate(url)
    return f"Navigated to {url}"


def puppeteer_screenshot(
    session: BrowserSession,
    name: Annotated[str, Field(description="What to call the picture")],
    selector: Annotated[str | None, Field(description="Only this element")] = None,
) -> Any:
    """Take a picture of the open page, or of one element."""
    picture = session.screenshot(name, selector)
    return [Content(type="text", text=f"Screenshot '{name}' taken at 800x600"), picture]


def puppeteer_click(session: BrowserSession, selector: Selector) -> str:
    """Click an element of the open page."""
    session.click(selector)
    return f"Clicked: {selector}"


def puppeteer_fill(
    session: BrowserSession, selector: Selector, value: Annotated[str, Field(description="Text to put there")]
) -> str:
    """Fill in a field of a form."""
    session.fill(selector, value)
    return f"Filled {selector} with: {value}"


def puppeteer_select(
    session: BrowserSession, selector: Selector, value: Annotated[str, Field(description="Value of the option")]
) -> str:
    """Choose an option of a drop-down list."""
    session.select(selector, value)
    return f"Selected {selector} with: {value}"


SIMULATION = Simulation(
    name="puppeteer",
    state=BrowserSession,
    tools=(puppeteer_navigate, puppeteer_screenshot, puppeteer_click, puppeteer_fill, puppeteer_select),
    dialect=ZOD,
    failure="{message}",
)
server = SIMULATION.server
"""Factory of a server with a browser for one attempt."""
