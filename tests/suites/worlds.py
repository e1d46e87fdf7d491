"""The worlds behind the suite ``persona``: the servers by the names that it gives them, and what their seeds hold."""

from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.discord import server as discord
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.gmail import server as gmail
from pytest_mcpbench.simulated.instagram import server as instagram
from pytest_mcpbench.simulated.lark import server as lark
from pytest_mcpbench.simulated.notion import server as notion
from pytest_mcpbench.simulated.obsidian import server as obsidian
from pytest_mcpbench.simulated.reddit import server as reddit
from pytest_mcpbench.simulated.slack import server as slack
from pytest_mcpbench.simulated.telegram import server as telegram
from pytest_mcpbench.simulated.universal_email import server as universal_email
from pytest_mcpbench.simulated.websearch import server as websearch
from pytest_mcpbench.simulated.wecom import server as wecom
from pytest_mcpbench.simulated.xiaohongshu import server as xiaohongshu
from tests.simulated.generic_servers import GENERIC_SERVERS

SIMULATIONS: dict[str, Simulation] = {
    "lark_mcp": lark.SIMULATION,
    "slack": slack.SIMULATION,
    "wecome": wecom.SIMULATION,
    "telegram": telegram.SIMULATION,
    "discord": discord.SIMULATION,
    "notion": notion.SIMULATION,
    "obsidian": obsidian.SIMULATION,
    "reddit": reddit.SIMULATION,
    "instagram": instagram.SIMULATION,
    "xiaohongshu": xiaohongshu.SIMULATION,
    "universal_email": universal_email.SIMULATION,
    "gmail": gmail.SIMULATION,
    "websearch": websearch.SIMULATION,
    **GENERIC_SERVERS,
}
APPS = tuple(name for name in SIMULATIONS if name not in ("websearch", *GENERIC_SERVERS))
"""The personal apps: servers with an account."""


@cache
def seed_of(app: str) -> dict[str, Any]:
    """Return the content with which the world of an app begins."""
    seed: dict[str, Any] = _tree(app).to_json()
    return seed


def entities(app: str) -> int:
    """Return the number of entities with which the world of an app begins, at whatever depth."""
    return _count(_tree(app).to_json())


def _tree(app: str) -> ContextTree:
    world = World(app, Path("/nowhere"), DEFAULT_NOW, Ids(app))
    SIMULATIONS[app].state(world)
    assert world.before is not None
    return world.before


def _count(value: Any) -> int:
    """Members of collections: of maps of which every key is its member's id."""
    if not isinstance(value, dict):
        return 0
    own = len(value) if value and all(_is_entity(key, each) for key, each in value.items()) else 0
    return own + sum(map(_count, value.values()))


def _is_entity(key: str, value: Any) -> bool:
    return isinstance(value, dict) and key in map(str, value.values())
