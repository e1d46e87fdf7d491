"""Plays the calls of a conversation on fresh servers and fills in what refers to their results."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.finmcp.sample import ReferenceCall
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.wealth import accounts, content, funds, stocks, strategies

SERVERS: Mapping[str, Simulation] = MappingProxyType(
    {each.SIMULATION.name: each.SIMULATION for each in (funds, strategies, stocks, accounts, content)}
)
"""The servers of the suite, by name; no two have a tool of the same name."""

_REFERENCE = re.compile(r"\{(\d+)\.([^{}|]+)(\|,)?\}")


@dataclass
class Playback:
    """One conversation; ``results`` are those of the calls made so far."""

    results: list[Any] = field(default_factory=list)

    def resolve(self, value: Any) -> Any:
        """A value with its references replaced; a text that is nothing but one becomes what it refers to."""
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        if isinstance(value, dict):
            return {key: self.resolve(part) for key, part in value.items()}
        if not isinstance(value, str):
            return value
        match = _REFERENCE.fullmatch(value)
        return self._look_up(match) if match else _REFERENCE.sub(self._format_reference, value)

    def call(self, reference: ReferenceCall, arguments: Mapping[str, Any]) -> str:
        """The text that the server answers with; a failure is raised."""
        simulation = next(each for each in SERVERS.values() if reference.tool in each.table)
        world = World(simulation.name, Path(), DEFAULT_NOW, Ids("finmcp"))
        result = simulation.call(simulation.state(world), reference.tool, arguments)
        self.results.append(result)
        return json.dumps(result, ensure_ascii=False, indent=simulation.indent)

    def _look_up(self, reference: re.Match[str]) -> Any:
        value = self.results[int(reference[1]) - 1]
        for step in reference[2].split("."):
            value = _get_part(value, step)
        return value

    def _format_reference(self, reference: re.Match[str]) -> str:
        """What is referred to, as a reply says it: no needless decimals; amounts of money with commas."""
        value = self._look_up(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        text = f"{value:,.2f}" if reference[3] else f"{value}"
        return text.rstrip("0").rstrip(".") if "." in text else text


def _get_part(value: Any, step: str) -> Any:
    """A part of a result: by key, by number, or the first item of a list that has a value (``name=value``)."""
    if isinstance(value, dict):
        return value[step]
    key, _, expected = step.partition("=")
    return next(item for item in value if item[key] == expected) if expected else value[int(step)]
