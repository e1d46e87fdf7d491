"""Requests with the reference calls that fulfil them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation


def summary_of(server: str, tool: str, purpose: str, *, is_demanded: bool) -> str:
    """Return ``Call `slack:look` to look.``, or ``Look, with `slack:look` or otherwise.`` if another call may do it."""
    if is_demanded:
        return f"Call `{server}:{tool}` to {purpose}."
    return f"{purpose[0].upper()}{purpose[1:]}, with `{server}:{tool}` or otherwise."


@dataclass(frozen=True)
class RequestCall:
    """One reference call. ``<prev_result.path>`` in an argument refers to the result of the previous call."""

    server: str
    tool: str
    arguments: Mapping[str, Any]
    purpose: str
    """Purpose of the call as an infinitive phrase, to be put after "to"."""
    is_demanded: bool = False
    """True if a checkpoint asks for this call, because only its success can be checked."""

    @property
    def summary(self) -> str:
        """What the call is for, and whether another call may do it."""
        return summary_of(self.server, self.tool, self.purpose, is_demanded=self.is_demanded)


@dataclass(frozen=True)
class Request:
    """One task: the user's prompt, the context about the user, and the calls that fulfil the prompt."""

    number: int
    """The record's ``id``; no other task of the suite has it."""
    kind: str
    """The record's ``query_type``."""
    prompt: str
    calls: tuple[RequestCall, ...]
    person: str
    """Name and occupation of the user, and the time zone."""
    place: SourceLocation
    """File and line of the task."""
    checkpoints: tuple[Mapping[str, Any], ...] = ()
    """Execution checkpoints in the benchmark's format."""
    necessary_context: Mapping[str, str] = field(default_factory=dict)
    """Facts about the user that the agent needs, by label."""
    seeds: Mapping[str, Any] = field(default_factory=dict)
    """Server -> name of the seed of its world, or its contexts, for servers that do not start with the default seed."""
    claims: tuple[str, ...] = ()
    """Statements that the answer must make, for a request that asks a question."""
