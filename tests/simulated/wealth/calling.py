"""Calls of the wealth servers' tools, without any MCP."""

from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.wealth import accounts, content, funds, stocks, strategies

SERVERS: tuple[Simulation, ...] = tuple(each.SIMULATION for each in (funds, strategies, stocks, accounts, content))
WORLD = World("wealth", Path(), DEFAULT_NOW, Ids("wealth"))


def answer(tool: str, **arguments: Any) -> Any:
    simulation = next(each for each in SERVERS if tool in each.table)
    return simulation.call(simulation.state(WORLD), tool, arguments)
