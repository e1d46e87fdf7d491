"""Calling the tools of a simulated service the way an agent does, without a server between."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure


@dataclass(frozen=True)
class Service:
    """One attempt with one service: what it answers, and what has changed in its world."""

    simulation: Simulation
    seed: Any = None
    path: Path = Path("/nowhere")
    is_public: bool = False

    @cached_property
    def sandbox(self) -> Sandbox:
        return Sandbox(self.path, identity="a-task", seeds={"app": self.seed}, has_public_seeds=self.is_public)

    @cached_property
    def state(self) -> Any:
        return self.simulation.state(self.sandbox.world("app"))

    @property
    def tree(self) -> ContextTree:
        tree: ContextTree = self.state.tree
        return tree

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what the tool answers; a failure fails the test."""
        return self.simulation.call(self.state, tool, arguments)

    def refusal(self, tool: str, **arguments: Any) -> Any:
        """Return what the tool answers to a call that must fail: the decoded JSON, or the text."""
        try:
            answer = self.call(tool, **arguments)
        except ToolFailure as failure:
            return _decoded(str(failure))
        raise AssertionError(f"{tool} answered {answer!r}")

    def changes(self) -> tuple[Any, ...]:
        """Return the changes that the sandbox sees."""
        _ = self.state  # opens the world
        return tuple(change for world in self.sandbox.diff() for change in world.changes)


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def collections(tree: ContextTree) -> dict[str, int]:
    """Return the number of entities that each declared collection of a tree holds."""
    return {each.path: len(tree.matches(f"{each.path}[*]")) for each in tree.shape.collections}


def parameters(simulation: Simulation) -> dict[str, set[str]]:
    """The parameters of each tool; ``*`` behind a required one."""
    return {name: set(_starred(tool.input_schema)) for name, tool in simulation.table.items()}


def _starred(schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    return (f"{name}*" if name in required else name for name in schema["properties"])
