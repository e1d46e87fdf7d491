"""Dependency graph of the reference calls (MCPToolBench++ 4.1, appendix A.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.task import CallGroup, ExpectedCall
from pytest_mcpbench.metrics.comparison.arguments import referenced_ids
from pytest_mcpbench.metrics.comparison.calls import call_ids


@dataclass(frozen=True)
class CallGraph:
    """Reference calls, and the indices of those that each one depends on; make it with :meth:`of`."""

    nodes: tuple[ExpectedCall, ...]
    predecessors: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, groups: tuple[CallGroup, ...]) -> "CallGraph":
        """Build the graph: a call depends on the calls that its arguments refer to, else on the previous group."""
        nodes = tuple(call for group in groups for call in group.calls)
        position = {name: index for index, name in enumerate(call_ids(nodes))}
        steps = _steps(groups)
        before = [_references(node.arguments, position) - {index} for index, node in enumerate(nodes)]
        return cls(nodes, tuple(found or steps[index] for index, found in enumerate(before)))

    @property
    def has_order(self) -> bool:
        """Return whether there are several calls, and none depends on itself through others."""
        return 1 < len(self.nodes) == len(self.order)

    @cached_property
    def sinks(self) -> tuple[int, ...]:
        """Return the calls on which no other depends."""
        needed = {index for found in self.predecessors for index in found}
        return tuple(index for index in range(len(self.nodes)) if index not in needed)

    @cached_property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """Return, for each call, the calls that it depends on directly or through others."""
        found: list[frozenset[int]] = [frozenset()] * len(self.nodes)
        for index in self.order:
            before = self.predecessors[index]
            found[index] = before.union(*(found[each] for each in before))
        return tuple(found)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Return the calls, each after those that it depends on; calls in or behind a circle are left out."""
        placed: list[int] = []
        for _ in self.nodes:
            ready = (i for i in range(len(self.nodes)) if i not in placed and self.predecessors[i] <= set(placed))
            placed.extend(list(ready)[:1])
        return tuple(placed)

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """Return, for each call, the length of the longest chain of calls that depend on it."""
        heights = [0] * len(self.nodes)
        for index in reversed(self.order):
            for before in self.predecessors[index]:
                heights[before] = max(heights[before], heights[index] + 1)
        return tuple(heights)


def _steps(groups: tuple[CallGroup, ...]) -> list[frozenset[int]]:
    """Return, for each call, the calls of the previous group."""
    before: list[frozenset[int]] = []
    previous: frozenset[int] = frozenset()
    for group in (group for group in groups if group.calls):
        start = len(before)
        before += [previous] * len(group.calls)
        previous = frozenset(range(start, start + len(group.calls)))
    return before


def _references(value: Any, position: Mapping[str, int]) -> frozenset[int]:
    if isinstance(value, str):
        return frozenset(position[name] for name in referenced_ids(value, frozenset(position)))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return frozenset(index for part in parts for index in _references(part, position))
