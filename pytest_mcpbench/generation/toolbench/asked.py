"""A request with the calls that answer it, as its author writes it down."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Called:
    """One reference call. Arguments may refer to the results of earlier calls: ``<1_result.location.lat>``."""

    tool: str
    arguments: Mapping[str, Any]


Step = tuple[Called, ...]
"""Calls that may be made at once."""


@dataclass(frozen=True)
class Asked:
    """What a user asks for, in which language, and the calls in their steps."""

    language: str
    query: str
    steps: tuple[Step, ...]
    named: frozenset[str] = frozenset()
    """Servers that the user names: for their tools no other is as right."""

    @property
    def calls(self) -> Iterator[tuple[int, int, Called]]:
        """Number of the call from 1, number of its step from 1, and the call."""
        number = 0
        for position, step in enumerate(self.steps, start=1):
            for call in step:
                number += 1
                yield number, position, call


def call(tool: str, **arguments: Any) -> Called:
    """A call; a trailing underscore of a name is left out (``from_``)."""
    return Called(tool, {name.rstrip("_"): value for name, value in arguments.items()})


def ask(language: str, query: str, *steps: Called | Step, named: str = "") -> Asked:
    """A request; each further argument is a call, or several that may be made at once; ``named`` servers by name."""
    taken = tuple((step,) if isinstance(step, Called) else step for step in steps)
    return Asked(language, query, taken, frozenset(named.split()))
