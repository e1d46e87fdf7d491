"""Effects: the changes of the worlds that a task's reference attempt makes, and no others."""

from typing import Literal

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel

GENERATED = "<generated>"
"""Placeholder in an effect for a generated value (an id, a token); any value that is not empty matches."""


class Effect(FrozenModel):
    """One change that the task asks for."""

    world: str
    """The server's name; ``files`` for the sandbox directory."""
    kind: Literal["created", "updated", "deleted"]
    collection: str = ""
    """Path of the collection, with :data:`GENERATED` in place of generated ids; empty at the root."""
    id: str
    """The entity's id or :data:`GENERATED`."""
    fields: dict[str, JsonValue] = Field(default_factory=dict)
    """created: the complete entity; updated: the changed fields with their new values (``None``: the field is gone);
    deleted: empty."""
    judged: tuple[str, ...] = ()
    """Dotted paths into ``fields`` of prose whose wording is free; a judge decides whether it says the same."""
    any: tuple[str, ...] = ()
    """Dotted paths into ``fields`` of values that the task leaves open: any that is not empty matches."""
