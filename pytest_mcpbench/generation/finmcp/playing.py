"""Plays the calls of a conversation on fresh servers and fills in what refers to their results."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.finmcp.sample import Called
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.wealth import accounts, content, funds, stocks, strategies

SERVERS: Mapping[str, Simulation] = MappingProxyType(
    {each.SIMULATION.name: each.SIMULATION for each in (funds, strategies, stocks, accounts, content)}
)
"""The servers of the suite, by name; no two have a tool of the same name."""

_REFERENCE = re.compile(r"\{(\d+)\.([^{}|]+)(\|,)?\}")


@dataclass
class Play:
    """One conversation; ``results`` are those of the calls made so far."""

    results: list[Any] = field(default_factory=list)

    def filled(self, value: Any) -> Any:
        """A value with its references replaced; a text that is nothing but one becomes what it refers to."""
        if isinstance(value, list):
            return [self.filled(part) for part in value]
        if isinstance(value, dict):
            return {key: self.filled(part) for key, part in value.items()}
        if not isinstance(value, str):
            return value
        whole = _REFERENCE.fullmatch(value)
        return self._referred(whole) if whole else _REFERENCE.sub(self._told, value)

    def call(self, called: Called, arguments: Mapping[str, Any]) -> str:
        """The text that the server answers with; a failure is raised."""
        simulation = next(each for each in SERVERS.values() if called.tool in each.table)
        world = World(simulation.name, Path(), DEFAULT_NOW, Ids("finmcp"))
        result = simulation.call(simulation.state(world), called.tool, arguments)
        self.results.append(result)
        return json.dumps(result, ensure_ascii=False, indent=simulation.indent)

    def _referred(self, reference: re.Match[str]) -> Any:
        value = self.results[int(reference[1]) - 1]
        for step in reference[2].split("."):
            value = _inside(value, step)
        return value

    def _told(self, reference: re.Match[str]) -> str:
        """What is referred to, as a reply says it: no needless decimals; amounts of money with commas."""
        value = self._referred(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        shown = f"{value:,.2f}" if reference[3] else f"{value}"
        return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _inside(value: Any, step: str) -> Any:
    """A part of a result: by key, by number, or the first item of a list that has a value (``name=value``)."""
    if isinstance(value, dict):
        return value[step]
    key, _, wanted = step.partition("=")
    return next(item for item in value if item[key] == wanted) if wanted else value[int(step)]
