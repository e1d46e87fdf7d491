from typing import Any

import pytest

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.world import Change

DECLARED = Shape((Collection("calendars"), Collection("calendars[*].events"), Collection("settings.rules")))


def diff(before: dict[str, Any], after: dict[str, Any], shape: Shape | None = None) -> tuple[Change, ...]:
    return ContextTree.of(after, shape).diff_from(ContextTree.of(before, shape))


def created(collection: str, id_: str, after: Any) -> Change:
    return Change(kind="created", collection=collection, id=id_, after=after)


def updated(collection: str, id_: str, before: Any, after: Any) -> Change:
    return Change(kind="updated", collection=collection, id=id_, before=before, after=after)


def deleted(collection: str, id_: str, before: Any) -> Change:
    return Change(kind="deleted", collection=collection, id=id_, before=before)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"a": {"x": {"n": 1}}}, {"a": {"x": {"n": 1}}}, [], id="equal"),
        pytest.param({"a": {}}, {"a": {"x": {"n": 1}}}, [created("a", "x", {"n": 1})], id="created"),
        pytest.param({}, {"a": {"x": {"n": 1}}}, [created("a", "x", {"n": 1})], id="collection created"),
        pytest.param({"a": {"x": {"n": 1}}}, {"a": {}}, [deleted("a", "x", {"n": 1})], id="deleted"),
        pytest.param({"a": {"x": {"n": 1}}}, {}, [deleted("a", "x", {"n": 1})], id="collection deleted"),
        pytest.param(
            {"a": {"x": {"n": 1}}}, {"a": {"x": {"n": 2}}}, [updated("a", "x", {"n": 1}, {"n": 2})], id="updated"
        ),
        pytest.param(
            {"a": {"x": {"n": 1}}}, {"a": {"x": {"n": True}}}, [updated("a", "x", {"n": 1}, {"n": True})], id="type"
        ),
        pytest.param(
            {"a": {"x": {"n": 1}, "y": {"n": 2}}}, {"a": {"y": {"n": 2}, "x": {"n": 1}}}, [], id="order is no change"
        ),
        pytest.param({"n": 1, "m": 1}, {"n": 2, "m": 1}, [updated("", "n", 1, 2)], id="field of the root"),
        pytest.param(
            {"profile": {"name": "Ann", "age": 3}},
            {"profile": {"name": "Bo", "age": 3}},
            [updated("", "profile", {"name": "Ann", "age": 3}, {"name": "Bo", "age": 3})],
            id="object of the root",
        ),
        pytest.param(
            {"a": {"x": {"n": 1, "parts": {"p": {"m": 1}}}}},
            {"a": {"x": {"n": 1, "parts": {"p": {"m": 2}, "q": {"m": 3}}}}},
            [updated("a[x].parts", "p", {"m": 1}, {"m": 2}), created("a[x].parts", "q", {"m": 3})],
            id="nested",
        ),
        pytest.param(
            {"a": {"x": {"n": 1, "parts": {"p": {"m": 1}}}}},
            {"a": {"x": {"n": 2, "parts": {"p": {"m": 1}}}}},
            [updated("a", "x", {"n": 1}, {"n": 2})],
            id="an updated entity without the collections inside it",
        ),
        pytest.param(
            {"a": {"x": {"tags": [1, 2]}}},
            {"a": {"x": {"tags": [2, 1]}}},
            [updated("a", "x", {"tags": [1, 2]}, {"tags": [2, 1]})],
            id="list",
        ),
        pytest.param(
            {"settings": {"filters": {"f1": {"n": 1}}}},
            {"settings": {"filters": {"f1": {"n": 2}}}},
            [updated("settings.filters", "f1", {"n": 1}, {"n": 2})],
            id="a collection inside an object",
        ),
        pytest.param(
            {"settings": {"filters": {"f1": {"n": 1}}}},
            {"settings": {"filters": {}}},
            [deleted("settings.filters", "f1", {"n": 1})],
            id="the last entity of a collection inside an object",
        ),
        pytest.param(
            {"settings": {"filters": {}}},
            {"settings": {"filters": {"f1": {"n": 1}}}},
            [created("settings.filters", "f1", {"n": 1})],
            id="the first entity of a collection inside an object",
        ),
        pytest.param(
            {"ann": {"calendars": {"c": {"events": {"e": {"n": 1}}}}}},
            {"ann": {"calendars": {"c": {"events": {}}}}},
            [deleted("ann.calendars.c.events", "e", {"n": 1})],
            id="the last entity at any depth",
        ),
        pytest.param(
            {"a": {"x": {"n": 1}, "y": {"p": {"q": {"m": 1}}}}},
            {"a": {"y": {"p": {"q": {"m": 1}}}}},
            [deleted("a", "x", {"n": 1})],
            id="the last entity that looked like one",
        ),
    ],
)
def test_changes_of_a_tree_that_declares_nothing(
    before: dict[str, Any], after: dict[str, Any], expected: list[Change]
) -> None:
    assert list(diff(before, after)) == expected


CARTS = {"carts": {"ann": {"items": {"i1": {"n": 1}}}}}


def test_what_was_changed_by_its_path_is_an_entity_whatever_it_looks_like() -> None:
    tree = ContextTree.of(CARTS)
    before = tree.fork()
    tree.create("carts", {"items": {}}, id="bo")
    tree.delete("carts[ann].items[i1]")
    assert list(tree.diff_from(before)) == [
        deleted("carts[ann].items", "i1", {"n": 1}),
        created("carts", "bo", {"items": {}}),
    ]


def test_what_a_path_selects_is_an_entity_whatever_it_looks_like() -> None:
    after = ContextTree.of({"carts": {"ann": {"items": {}}, "bo": {"items": {}}}})
    assert list(after.diff_from(ContextTree.of(CARTS), selected_paths=["carts[bo]"])) == [
        deleted("carts[ann].items", "i1", {"n": 1}),
        created("carts", "bo", {"items": {}}),
    ]


def test_a_field_that_a_path_selects_as_if_it_were_an_entity_stays_a_field() -> None:
    before, after = ContextTree.of({"profile": {"age": 3}}), ContextTree.of({"profile": {"age": 4}})
    assert list(after.diff_from(before, selected_paths=["profile[age]"])) == [
        updated("", "profile", {"age": 3}, {"age": 4}),
    ]


def test_a_declared_shape_says_what_a_collection_is() -> None:
    event = {"start": {"at": {"hour": 9}}}
    before = {"calendars": {"c": {"events": {"e": event}}}, "settings": {"rules": {}, "theme": {"dark": {"on": True}}}}
    later = {"start": {"at": {"hour": 10}}}
    after = {
        "calendars": {"c": {"events": {"e": later}}},
        "settings": {"rules": {"r": {"n": 1}}, "theme": {"dark": {"on": False}}},
    }
    assert list(diff(before, after, DECLARED)) == [
        updated("", "settings", {"theme": {"dark": {"on": True}}}, {"theme": {"dark": {"on": False}}}),
        updated("calendars[c].events", "e", event, later),
        created("settings.rules", "r", {"n": 1}),
    ]


def test_a_tree_that_nobody_changed_has_no_changes() -> None:
    tree = ContextTree.of({"a": {"x": {"n": 1}}})
    before = tree.fork()
    tree.update("a[x]", {"n": 2})
    tree.update("a[x]", {"n": 1})
    assert tree.diff_from(before) == ()


def test_the_path_of_a_change_leads_to_its_entity() -> None:
    changes = diff({"a": {}, "n": 1}, {"a": {"x.y": {"m": 1}}, "n": 2})
    assert [change.path for change in changes] == ["n", "a[x.y]"]
