"""The memory server: the nine tools of ``@modelcontextprotocol/server-memory``, with its responses."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from pytest_mcpbench.simulated.engine import ZOD4, Simulation
from pytest_mcpbench.simulated.memory.world import KnowledgeGraph


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
