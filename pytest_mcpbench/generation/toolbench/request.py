"""Handwritten requests together with the reference calls that answer them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReferenceCall:
    """One reference call. An argument may refer to the result of an earlier call: ``<1_result.location.lat>``."""

    tool: str
    arguments: Mapping[str, Any]


Step = tuple[ReferenceCall, ...]
"""Calls that can be made in parallel."""


@dataclass(frozen=True)
class Request:
    """A user's request, its language, and the reference calls in steps."""

    language: str
    query: str
    steps: tuple[Step, ...]
    named_servers: frozenset[str] = frozenset()
    """Servers that the user asks for by name; tools of other servers are then not accepted in their place."""

    @property
    def calls(self) -> Iterator[tuple[int, int, ReferenceCall]]:
        """Yield each call with its number and the number of its step, both counted from 1."""
        number = 0
        for position, step in enumerate(self.steps, start=1):
            for call in step:
                number += 1
                yield number, position, call


def call(tool: str, **arguments: Any) -> ReferenceCall:
    """Return a reference call. A trailing underscore of an argument name is dropped (``from_`` becomes ``from``)."""
    return ReferenceCall(tool, {name.rstrip("_"): value for name, value in arguments.items()})


def request(language: str, query: str, *steps: ReferenceCall | Step, named_servers: str = "") -> Request:
    """Return a request. Each step is a call or a tuple of parallel calls.

    ``named_servers`` lists the servers that the user asks for, separated by spaces.
    """
    step_groups = tuple((step,) if isinstance(step, ReferenceCall) else step for step in steps)
    return Request(language, query, step_groups, frozenset(named_servers.split()))
