"""Changes of the worlds of servers during an attempt, and those that a task expects."""

from typing import Literal

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel

WORLD_RESOURCE = "mcpbench://world"
"""URI of the MCP resource through which a server in another process publishes its world as JSON."""


class Change(FrozenModel):
    """One entity (a node of a context tree, a row, a file) that was created, updated or deleted."""

    kind: Literal["created", "updated", "deleted"]
    collection: str
    """Path of the collection with every selector resolved to an id; empty at the root."""
    id: str
    before: JsonValue = None
    after: JsonValue = None

    @property
    def path(self) -> str:
        """Return the entity's own path; at the root, the id is a name."""
        return f"{self.collection}[{self.id}]" if self.collection else self.id


class Observation(FrozenModel):
    """Observation of a path that a state check refers to."""

    path: str
    """As the task writes it."""
    resolved: tuple[str, ...] = ()
    """The path with wildcards and ``primary`` replaced by ids, one per match."""
    before: JsonValue = None
    """The value there; where the path has wildcards, an object from resolved path to value. ``None`` if nothing is
    there, and for the verbs that changes decide: all but ``equals``."""
    after: JsonValue = None
    doubt: str | None = None
    """Reason why the path is doubtful in this world (a misspelt name); ``None`` if it is valid."""
    is_undeclared: bool = False
    """True if the doubt is certain: the world declares its collections, and this is none of them."""


class WorldRecord(FrozenModel):
    """Changes and observations of one world."""

    name: str
    """The server's name; ``files`` for the sandbox directory."""
    changes: tuple[Change, ...] = ()
    observations: tuple[Observation, ...] = ()


# Effects: the changes of the worlds that a task's reference attempt makes, and no others.

GENERATED = "<generated>"
"""Placeholder in an effect for a generated value (an id, a token); any value that is not empty matches."""
EMPTY: tuple[object, ...] = (None, "", [], {})
"""Values of a field that holds nothing."""


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
    """Dotted paths into ``fields`` of values that the task leaves open: any that is not empty matches, and where the
    expected one is empty, any at all."""
