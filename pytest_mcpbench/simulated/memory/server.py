"""The memory server: the nine tools of ``@modelcontextprotocol/server-memory``, with its responses.

The graph of entities with observations, and of relations between them, is stored in a context tree: ``{entities: {name:
{name, entityType, observations[]}}, relations: {key: {from, to, relationType}}}``. The rules are those of the real
server: names are unique, relations may refer to entities that do not exist, and deleting something unknown is not an
error. Unlike the real server, a duplicate within one request is created only once.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ZOD4, Simulation
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


class Entity(BaseModel):
    """Somebody or something."""

    name: Annotated[str, Field(description="Name of the entity")]
    entityType: Annotated[str, Field(description="What kind of thing it is")]  # noqa: N815 (the server's name)
    observations: Annotated[list[str], Field(description="What is known of it, one fact each")]


class Relation(BaseModel):
    """How one entity stands to another."""

    from_: Annotated[str, Field(alias="from", description="Name of the entity that the relation starts at")]
    to: Annotated[str, Field(description="Name of the entity that it leads to")]
    relationType: Annotated[str, Field(description="What the first one does or is to the second")]  # noqa: N815


class Addition(BaseModel):
    """New facts about an entity."""

    entityName: Annotated[str, Field(description="Name of the entity that the facts are about")]  # noqa: N815
    contents: Annotated[list[str], Field(description="The new facts")]


class Deletion(BaseModel):
    """Facts to forget."""

    entityName: Annotated[str, Field(description="Name of the entity that the facts are about")]  # noqa: N815
    observations: Annotated[list[str], Field(description="The facts, word for word")]


def create_entities(graph: KnowledgeGraph, entities: list[Entity]) -> list[dict[str, Any]]:
    """Add entities to the knowledge graph; names that it has already are passed over"""
    return graph.create_entities(entity.model_dump() for entity in entities)


def create_relations(graph: KnowledgeGraph, relations: list[Relation]) -> list[dict[str, Any]]:
    """Add relations between entities to the knowledge graph, worded in active voice"""
    return graph.create_relations(relation.model_dump(by_alias=True) for relation in relations)


def add_observations(graph: KnowledgeGraph, observations: list[Addition]) -> list[dict[str, Any]]:
    """Add facts to entities that the knowledge graph has"""
    return graph.add_observations([each.model_dump() for each in observations])


def delete_entities(
    graph: KnowledgeGraph,
    entityNames: Annotated[list[str], Field(description="Names of the entities")],  # noqa: N803
) -> str:
    """Remove entities and all of their relations from the knowledge graph"""
    graph.delete_entities(entityNames)
    return "Entities deleted successfully"


def delete_observations(graph: KnowledgeGraph, deletions: list[Deletion]) -> str:
    """Remove facts about entities from the knowledge graph"""
    graph.delete_observations(each.model_dump() for each in deletions)
    return "Observations deleted successfully"


def delete_relations(
    graph: KnowledgeGraph, relations: Annotated[list[Relation], Field(description="The relations to remove")]
) -> str:
    """Remove relations from the knowledge graph"""
    graph.delete_relations(relation.model_dump(by_alias=True) for relation in relations)
    return "Relations deleted successfully"


def read_graph(graph: KnowledgeGraph) -> dict[str, Any]:
    """Read all that the knowledge graph holds"""
    return graph.complete()


def search_nodes(
    graph: KnowledgeGraph,
    query: Annotated[str, Field(description="Text to look for in names, types and facts of entities")],
) -> dict[str, Any]:
    """Find entities of the knowledge graph by a piece of text"""
    return graph.search(query)


def open_nodes(
    graph: KnowledgeGraph, names: Annotated[list[str], Field(description="Names of the entities to look at")]
) -> dict[str, Any]:
    """Look at certain entities of the knowledge graph by name"""
    return graph.open(names)


_LISTS = {"create_entities": "entities", "create_relations": "relations", "add_observations": "results"}


def _structured_content(tool: str, value: Any) -> Any:
    if isinstance(value, str):
        return {"success": True, "message": value}
    return {_LISTS[tool]: value} if tool in _LISTS else value


SIMULATION = Simulation(
    name="memory-server",
    state=KnowledgeGraph,
    tools=(
        create_entities,
        create_relations,
        add_observations,
        delete_entities,
        delete_observations,
        delete_relations,
        read_graph,
        search_nodes,
        open_nodes,
    ),
    dialect=ZOD4,
    version="0.6.3",
    indent=2,
    structured=_structured_content,
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
