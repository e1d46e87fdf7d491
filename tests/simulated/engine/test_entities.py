from typing import Any

import pytest

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.simulated.engine import Entities, MissingEntity

SHAPE = Shape((Collection("lists", id_field="id"), Collection("lists[*].items", id_field="id")))


def lists() -> Entities:
    data: dict[str, Any] = {"lists": {"a.b": {"id": "a.b", "name": "A", "items": {}}, "c": {"id": "c", "name": "C"}}}
    return Entities(ContextTree.of(data, SHAPE, Ids("test")), "lists", "no list {id}")


def test_entities_are_read_created_updated_and_deleted() -> None:
    found = lists()
    made = found.create({"name": "D"})
    assert found.get(made["id"]) == made == {"id": made["id"], "name": "D"}
    assert found.update("a.b", {"name": "B"})["name"] == "B"
    assert found.delete("c") == {"id": "c", "name": "C"}
    assert [each["name"] for each in found.all()] == ["B", "D"]
    assert found.all({"name": "D"}, limit=1) == [made]


@pytest.mark.parametrize("entity_id", ["z", "*", "primary", "]", ""])
def test_an_unknown_id_is_a_failure_in_the_services_words(entity_id: str) -> None:
    found = lists()
    for act in (
        found.get,
        found.delete,
        lambda id_: found.update(id_, {}),
        lambda id_: found.subcollection(id_, "items", ""),
    ):
        with pytest.raises(MissingEntity) as caught:
            act(entity_id)
        assert str(caught.value) == f"no list {entity_id}"
    assert found.tree.journal == ()


def test_a_collection_may_belong_to_an_entity() -> None:
    items = lists().subcollection("a.b", "items", "no item {id}")
    items.create({"id": "i", "text": "milk"})
    assert items.get("i") == {"id": "i", "text": "milk"}
    with pytest.raises(MissingEntity, match="no item j"):
        items.get("j")
