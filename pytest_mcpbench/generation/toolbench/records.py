"""Requests as records of MCPToolBench++'s own format (paper 2.4; the released files).

A record holds the tools that the agent is offered: those of all servers of the categories that the request touches.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.toolbench.asked import Asked, Called
from pytest_mcpbench.simulated.browser import playwright, puppeteer
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.files import server as files
from pytest_mcpbench.simulated.maps import amap, baidu, google
from pytest_mcpbench.simulated.market import finance_agent, yahoo_finance
from pytest_mcpbench.simulated.payments import server as payments
from pytest_mcpbench.simulated.search import google as google_search
from pytest_mcpbench.simulated.search import tavily

SERVERS: Mapping[str, Mapping[str, Simulation]] = MappingProxyType(
    {
        "browser": {"playwright": playwright.SIMULATION, "puppeteer": puppeteer.SIMULATION},
        "filesystem": {"filesystem": files.SIMULATION},
        "finance": {"finance-agent": finance_agent.SIMULATION, "yahoo-finance": yahoo_finance.SIMULATION},
        "search": {"tavily": tavily.SIMULATION, "google-search": google_search.SIMULATION},
        "map": {"google-maps": google.SIMULATION, "baidu-maps": baidu.SIMULATION, "amap-maps": amap.SIMULATION},
        "pay": {"paypal": payments.SIMULATION},
    }
)
"""Category -> its servers, by name."""

SIMILAR: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            ("playwright_navigate", "puppeteer_navigate"),
            ("playwright_click", "puppeteer_click"),
            ("playwright_fill", "puppeteer_fill"),
            ("playwright_select", "puppeteer_select"),
            ("playwright_screenshot", "puppeteer_screenshot"),
            ("maps_geocode", "map_geocode", "maps_geo"),
            ("maps_reverse_geocode", "map_reverse_geocode", "maps_regeocode"),
            ("tavily_search", "google_search"),
            ("tavily_extract", "read_webpage"),
        ),
    )
)
"""Tools that do the same: any of them is right where the user names none."""

OUTPUT = {"status_code": 200, "result": {}}
"""What stands in every released record: there are no reference outputs."""


def content(category: str, asked: Iterable[Asked]) -> str:
    """A file of the format: an array with one record a line."""
    lines = [
        json.dumps(record(f"{category}-{number:03d}", category, each), ensure_ascii=False)
        for number, each in enumerate(asked, start=1)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def record(name: str, category: str, asked: Asked) -> dict[str, Any]:
    """One record; ``language`` is the one key that the released records do not have."""
    servers = _servers_for(asked)
    label = [_call(number, step, called, asked) for number, step, called in asked.calls]
    return {
        "uuid": name,
        "category": category,
        "call_type": "single" if len(label) == 1 else "multiple",
        "language": asked.language,
        "query": asked.query,
        "function_call_label": label,
        "mcp_tools_dict": {name: list(simulation.table) for name, simulation in servers.items()},
        "tools": [tool for simulation in servers.values() for tool in _tools(simulation)],
    }


@cache
def server_of(tool: str) -> str:
    """The server that has the tool; no two have one of the same name."""
    return next(name for servers in SERVERS.values() for name, each in servers.items() if tool in each.table)


def _category_of(tool: str) -> str:
    return next(category for category, servers in SERVERS.items() if server_of(tool) in servers)


def _servers_for(asked: Asked) -> dict[str, Simulation]:
    touched = {_category_of(called.tool) for _, _, called in asked.calls}
    return {name: each for category in SERVERS if category in touched for name, each in SERVERS[category].items()}


def _call(number: int, step: int, called: Called, asked: Asked) -> dict[str, Any]:
    similar = [{"name": name, "mcp_server": server_of(name)} for name in _similar(called.tool, asked)]
    who = {"name": called.tool, "step": f"{step}", "id": f"{number}", "mcp_server": server_of(called.tool)}
    return {**who, "similar_tools": similar, "input": dict(called.arguments), "output": OUTPUT}


def _similar(tool: str, asked: Asked) -> list[str]:
    """Tools that are as right: none where the user names the server, or needs another tool of the same browser."""
    if server_of(tool) in asked.named:
        return []
    in_browser = [called.tool for _, _, called in asked.calls if _category_of(called.tool) == "browser"]
    if tool in in_browser and not all(map(_doing_the_same, in_browser)):
        return []
    return _doing_the_same(tool)


def _doing_the_same(tool: str) -> list[str]:
    return sorted(other for group in SIMILAR if tool in group for other in group - {tool})


def _tools(simulation: Simulation) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in simulation.table.values()
    ]
