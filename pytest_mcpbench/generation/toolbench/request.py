"""Requests of the suite, parsed from the files in ``source/``: one file per category."""

from collections.abc import Iterator
from typing import Literal

from pytest_mcpbench.generation.source.calls import ReferenceCall, Step
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries, source_directory


class ToolbenchRequest(SourceEntry):
    """A user's request and the reference calls that fulfil it."""

    language: Literal["en", "es", "fr", "ru", "zh"]
    ask: str
    calls: tuple[Step, ...]
    offered: frozenset[str] = frozenset()
    """Servers of the request's categories that the agent has; of a category without one of them, it has all."""
    named_servers: frozenset[str] = frozenset()
    """Servers that the user asks for by name; tools of other servers are then not accepted in their place."""

    @property
    def numbered_calls(self) -> Iterator[tuple[int, int, ReferenceCall]]:
        """Yield each call with its number and the number of its step, both counted from 1."""
        number = 0
        for position, step in enumerate(self.calls, start=1):
            for call in step:
                number += 1
                yield number, position, call


def requests(category: str) -> tuple[ToolbenchRequest, ...]:
    """Return the requests of a category."""
    return read_entries(source_directory("toolbench") / f"{category}.yaml", ToolbenchRequest)
