"""A request with the calls that answer it, as its author writes it down."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReferenceCall:
    """One reference call. Arguments may refer to the results of earlier calls: ``<1_result.location.lat>``."""

    tool: str
    arguments: Mapping[str, Any]


Step = tuple[ReferenceCall, ...]
"""Calls that may be made at once."""


@dataclass(frozen=True)
class Request:
    """What a user asks for, in which language, and the calls in their steps."""

    language: str
    query: str
    steps: tuple[Step, ...]
    named_servers: frozenset[str] = frozenset()
    """Servers that the user names: for their tools no other is as right."""

    @property
    def calls(self) -> Iterator[tuple[int, int, ReferenceCall]]:
        """Number of the call from 1, number of its step from 1, and the call."""
        number = 0
        for position, step in enumerate(self.steps, start=1):
            for call in step:
                number += 1
                yield number, position, call


def call(tool: str, **arguments: Any) -> ReferenceCall:
    """A call; a trailing underscore of a name is left out (``from_``)."""
    return ReferenceCall(tool, {name.rstrip("_"): value for name, value in arguments.items()})


def request(language: str, query: str, *steps: ReferenceCall | Step, named_servers: str = "") -> Request:
    """A request; each further argument is a call, or several that may be made at once; ``named`` servers by name."""
    step_groups = tuple((step,) if isinstance(step, ReferenceCall) else step for step in steps)
    return Request(language, query, step_groups, frozenset(named_servers.split()))
