"""The web of the studio's town: the tools of the web search server over pages of suppliers, authorities and clients."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.websearch import server as websearch
from pytest_mcpbench.simulated.websearch.page import Page, read_page
from pytest_mcpbench.simulated.websearch.world import Web


@cache
def pages() -> tuple[Page, ...]:
    """Return every page of the town."""
    files = sorted(Path(__file__).with_name("pages").glob("*.md"))
    return tuple(read_page(file.read_text(encoding="utf-8")) for file in files)


def town_web(world: World) -> Web:
    """Return the web of one attempt, with the pages of the task if it sets some."""
    return _web() if world.seed is None else Web.of(world)


@cache
def _web() -> Web:
    return Web(pages())


SIMULATION = replace(websearch.SIMULATION, state=town_web)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
