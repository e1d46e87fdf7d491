"""Access to one collection of a world, where an unknown id from an agent becomes a tool failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.simulated.engine.failure import MissingEntity

Entity = dict[str, Any]


@dataclass(frozen=True)
class Entities:
    """The collection of entities at a path of the tree.

    Methods return copies. Ids are used literally and never interpreted as selectors. A collection that does not exist
    in the tree is treated as empty.
    """

    tree: ContextTree
    path: str
    missing: str
    """Error message of the service for an unknown id, with the placeholder ``{id}``."""

    def get(self, entity_id: str) -> Entity:
        """Return the entity with the id; raise :class:`MissingEntity` if it does not exist."""
        entity = self.find(entity_id)
        if entity is None:
            raise MissingEntity(self.missing.format(id=entity_id))
        return entity

    def find(self, entity_id: str) -> Entity | None:
        """Return the entity with the id, or ``None``."""
        return self.tree.find(self.path, entity_id) if self.tree.has(self.path) else None

    def all(self, filters: Mapping[str, Any] | None = None, limit: int | None = None) -> list[Entity]:
        """Return the entities whose fields match ``filters``, in the collection's order."""
        return list(self.tree.list(self.path, filters, limit)) if self.tree.has(self.path) else []

    def create(self, entity: Mapping[str, Any]) -> Entity:
        """Add an entity; its id is read from the collection's id field, or generated from the attempt's seed."""
        return self.get(self.tree.create(self.path, entity))

    def update(self, entity_id: str, fields: Mapping[str, Any]) -> Entity:
        """Set some fields of an entity and return the updated entity."""
        self.get(entity_id)
        entity: Entity = self.tree.update(self._entity_path(entity_id), fields)
        return entity

    def delete(self, entity_id: str) -> Entity:
        """Delete an entity and return it."""
        entity = self.get(entity_id)
        self.tree.delete(self._entity_path(entity_id))
        return entity

    def subcollection(self, entity_id: str, collection: str, missing: str) -> "Entities":
        """Return a collection that is nested in one of the entities."""
        self.get(entity_id)
        return Entities(self.tree, f"{self._entity_path(entity_id)}.{collection}", missing)

    def _entity_path(self, entity_id: str) -> str:
        return f"{self.path}[{entity_id}]"
