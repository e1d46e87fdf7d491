"""The knowledge graph: entities with observations, and relations between them, stored in a context tree.

The tree is ``{entities: {name: {name, entityType, observations[]}}, relations: {key: {from, to, relationType}}}``. The
rules are those of ``@modelcontextprotocol/server-memory``: names are unique, relations may refer to entities that do
not exist, and deleting something unknown is not an error. Unlike the real server, a duplicate within one request is
created only once.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.failure import ToolFailure

SHAPE = Shape((Collection("entities", id_field="name"), Collection("relations")))

Json = dict[str, Any]


@cache
def seed() -> Json:
    """Return the initial graph of an attempt; it is loaded once per process and must not be modified."""
    graph = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return {
        "entities": {entity["name"]: entity for entity in graph["entities"]},
        "relations": {_key(relation): relation for relation in graph["relations"]},
    }


def _empty() -> Json:
    return {"entities": {}, "relations": {}}


def _key(relation: Mapping[str, str]) -> str:
    return f"{relation['from']} {relation['relationType']} {relation['to']}"


class KnowledgeGraph:
    """The graph of one attempt; each method is a request."""

    def __init__(self, world: World) -> None:
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": _empty})

    def create_entities(self, entities: Iterable[Json]) -> list[Json]:
        """Add the entities whose names are new and return them."""
        return [entity for entity in entities if self._create("entities", entity["name"], entity)]

    def create_relations(self, relations: Iterable[Json]) -> list[Json]:
        """Add the relations that are new and return them."""
        return [relation for relation in relations if self._create("relations", _key(relation), relation)]

    def add_observations(self, additions: Sequence[Json]) -> list[Json]:
        """Add new observations to entities and return those that were added, per entity.

        If one of the entities does not exist, none is changed.
        """
        for each in additions:
            if self.tree.find("entities", each["entityName"]) is None:
                raise ToolFailure(f"Entity with name {each['entityName']} not found")
        added: list[Json] = []
        for each in additions:
            name = each["entityName"]
            existing = self.tree.get(f"entities[{name}].observations")
            new = [text for text in each["contents"] if text not in existing]
            self.tree.update(f"entities[{name}]", {"observations": existing + new})
            added.append({"entityName": name, "addedObservations": new})
        return added

    def delete_entities(self, names: Sequence[str]) -> None:
        """Delete entities and all relations from or to them."""
        for name in names:
            self._delete("entities", name)
        for key, relation in self._relations().items():
            if relation["from"] in names or relation["to"] in names:
                self._delete("relations", key)

    def delete_observations(self, deletions: Iterable[Json]) -> None:
        """Delete observations of entities."""
        for each in deletions:
            entity = self.tree.find("entities", each["entityName"])
            if entity is not None:
                remaining = [text for text in entity["observations"] if text not in each["observations"]]
                self.tree.update(f"entities[{each['entityName']}]", {"observations": remaining})

    def delete_relations(self, relations: Iterable[Json]) -> None:
        """Delete relations."""
        for relation in relations:
            self._delete("relations", _key(relation))

    def complete(self) -> Json:
        """Return the complete graph."""
        return self._subgraph(lambda _: True, every_relation=True)

    def search(self, query: str) -> Json:
        """Return the entities, with their relations, that contain the text in any case."""
        lowered = query.lower()
        return self._subgraph(
            lambda entity: any(
                lowered in text.lower() for text in (entity["name"], entity["entityType"], *entity["observations"])
            )
        )

    def open(self, names: Sequence[str]) -> Json:
        """Return the entities with the names, and their relations."""
        return self._subgraph(lambda entity: entity["name"] in names)

    def _subgraph(self, is_included: Callable[[Json], bool], *, every_relation: bool = False) -> Json:
        entities = [entity for entity in self.tree.list("entities") if is_included(entity)]
        names = {entity["name"] for entity in entities}
        relations = [
            relation
            for relation in self._relations().values()
            if every_relation or relation["from"] in names or relation["to"] in names
        ]
        return {"entities": entities, "relations": relations}

    def _relations(self) -> dict[str, Json]:
        relations: dict[str, Json] = self.tree.get("relations")
        return relations

    def _create(self, collection: str, key: str, entity: Json) -> bool:
        if self.tree.find(collection, key) is not None:
            return False
        self.tree.create(collection, entity, key)
        return True

    def _delete(self, collection: str, key: str) -> None:
        if self.tree.find(collection, key) is not None:
            self.tree.delete(f"{collection}[{key}]")
