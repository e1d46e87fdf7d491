"""Execution of a conversation's calls on fresh servers, and resolution of references to their results."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.core.suggestions import hint
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.wealth import accounts, content, funds, stocks, strategies

SERVERS: Mapping[str, Simulation] = MappingProxyType(
    {each.SIMULATION.name: each.SIMULATION for each in (funds, strategies, stocks, accounts, content)}
)
"""Servers of the suite, by name. Tool names are unique across servers."""

_REFERENCE = re.compile(r"\{(\d+)\.([^{}|]+)(\|,)?\}")


class PlaybackError(ValueError):
    """Error for a call of an unknown tool, or for a reference to something that no result has."""


@dataclass
class Playback:
    """State of one conversation during playback; ``results`` holds the results of the calls made so far."""

    results: list[Any] = field(default_factory=list)

    def resolve(self, value: Any) -> Any:
        """Return a value with its references replaced.

        A string that consists of one reference becomes the referenced value, which need not be a string.
        """
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        if isinstance(value, dict):
            return {key: self.resolve(part) for key, part in value.items()}
        if not isinstance(value, str):
            return value
        match = _REFERENCE.fullmatch(value)
        return self._look_up(match) if match else _REFERENCE.sub(self._format_reference, value)

    def call(self, reference: ReferenceCall, arguments: Mapping[str, Any]) -> str:
        """Execute a call and return the server's answer as text. An error of the tool is raised."""
        simulation = _server_of(reference.tool)
        world = World(simulation.name, Path(), DEFAULT_NOW, Ids("finmcp"))
        result = simulation.call(simulation.state(world), reference.tool, arguments)
        self.results.append(result)
        return json.dumps(result, ensure_ascii=False, indent=simulation.indent)

    def _look_up(self, reference: re.Match[str]) -> Any:
        try:
            value = self.results[int(reference[1]) - 1]
            for step in reference[2].split("."):
                value = _get_part(value, step)
        except (LookupError, StopIteration, TypeError, ValueError) as error:
            raise PlaybackError(f"{reference[0]} refers to nothing in the results of the calls before it.") from error
        return value

    def _format_reference(self, reference: re.Match[str]) -> str:
        """Format a referenced value for a reply: no trailing zeros, thousands separators in amounts of money."""
        value = self._look_up(reference)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        text = f"{value:,.2f}" if reference[3] else f"{value}"
        return text.rstrip("0").rstrip(".") if "." in text else text


def _server_of(tool: str) -> Simulation:
    for each in SERVERS.values():
        if tool in each.table:
            return each
    known = [name for each in SERVERS.values() for name in each.table]
    raise PlaybackError(f"no server has a tool {tool!r}. {hint(tool, known)}")


def _get_part(value: Any, step: str) -> Any:
    """Return a part of a result: by key, by index, or the first item of a list with ``name=value``."""
    if isinstance(value, dict):
        return value[step]
    key, _, expected = step.partition("=")
    return next(item for item in value if item[key] == expected) if expected else value[int(step)]
