"""One collection of a world as a service sees it: ids come from agents, and an unknown one is the agent's failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.simulated.engine.failure import MissingEntity

Entity = dict[str, Any]


@dataclass(frozen=True)
class Entities:
    """The entities at a path. What it gives are copies; ids are taken as they are, never as selectors.

    A collection that the tree lacks is empty.
    """

    tree: ContextTree
    path: str
    missing: str
    """What the service says of an unknown id, with ``{id}``."""

    def get(self, entity_id: str) -> Entity:
        """One entity; :class:`MissingEntity` where there is none."""
        found = self.find(entity_id)
        if found is None:
            raise MissingEntity(self.missing.format(id=entity_id))
        return found

    def find(self, entity_id: str) -> Entity | None:
        """One entity, or ``None``."""
        return self.tree.find(self.path, entity_id) if self.tree.has(self.path) else None

    def all(self, filters: Mapping[str, Any] | None = None, limit: int | None = None) -> list[Entity]:
        """Those whose fields have the values of ``filters``, in order."""
        return list(self.tree.list(self.path, filters, limit)) if self.tree.has(self.path) else []

    def create(self, entity: Mapping[str, Any]) -> Entity:
        """A new entity; its id is that in the collection's id field, or a seeded one."""
        return self.get(self.tree.create(self.path, entity))

    def update(self, entity_id: str, fields: Mapping[str, Any]) -> Entity:
        """The entity with some fields set."""
        self.get(entity_id)
        updated: Entity = self.tree.update(self._place(entity_id), fields)
        return updated

    def delete(self, entity_id: str) -> Entity:
        """Take an entity away; it is returned."""
        deleted = self.get(entity_id)
        self.tree.delete(self._place(entity_id))
        return deleted

    def inside(self, entity_id: str, collection: str, missing: str) -> "Entities":
        """A collection that belongs to one of the entities."""
        self.get(entity_id)
        return Entities(self.tree, f"{self._place(entity_id)}.{collection}", missing)

    def _place(self, entity_id: str) -> str:
        return f"{self.path}[{entity_id}]"
