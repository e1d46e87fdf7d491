import json
from typing import Any

import pytest

from pytest_mcpbench.core.context import (
    Collection,
    ConflictError,
    ContextTree,
    DanglingReferenceError,
    NotFoundError,
    Path,
    Shape,
)
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Ids
from tests.shared_data import shared_file

SHAPE = Shape(
    (
        Collection("people", id_field="id", guarded=True),
        Collection("calendars", id_field="calendar_id"),
        Collection("calendars[*].events", id_field="event_id", references={"owner": "people", "guests": "people"}),
    )
)


def data() -> dict[str, Any]:
    return {
        "name": "Ann",
        "settings": {"zone": "UTC"},
        "people": {"ann@x.example": {"id": "ann@x.example"}, "bo": {"id": "bo"}},
        "calendars": {
            "c.1@group": {
                "calendar_id": "c.1@group",
                "events": {"e1": {"event_id": "e1", "summary": "Review", "start.time": "9", "owner": "bo"}},
            },
            "c2": {"calendar_id": "c2", "is_primary": True, "events": {}},
        },
    }


def a_tree(shape: Shape = SHAPE) -> ContextTree:
    return ContextTree.of(data(), shape, Ids("test"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "Ann"),
        ("settings.zone", "UTC"),
        ("calendars[c.1@group].events[e1].summary", "Review"),
        ("calendars[c.1@group].events[e1].start.time", "9"),
        ("calendars[primary].calendar_id", "c2"),
        ("calendars[primary].events", {}),
        ("people[bo]", {"id": "bo"}),
    ],
    ids=str,
)
def test_a_path_leads_to_its_value(path: str, value: Any) -> None:
    assert a_tree().get(path) == value


def test_the_empty_path_is_the_root() -> None:
    assert a_tree().get(Path()) == data()


def test_a_selector_is_a_key_first_and_an_id_field_second() -> None:
    tree = ContextTree.of(
        {"chats": {"k1": {"chat_id": "k2", "n": 1}, "k2": {"chat_id": "k1", "n": 2}, "k3": {"id": "z"}}}
    )
    assert tree.get("chats[k1].n") == 1
    assert tree.get("chats[z].id") == "z"


def test_primary_is_a_key_before_it_is_a_flag() -> None:
    tree = ContextTree.of({"calendars": {"a": {"default": True}, "primary": {"n": 1}}})
    assert tree.get("calendars[primary].n") == 1


def test_what_comes_out_is_a_copy() -> None:
    tree = a_tree()
    tree.get("calendars[primary]")["events"]["x"] = {}
    tree.list("people")[0]["id"] = "x"
    tree.to_json().clear()
    assert tree.to_json() == data()


def test_what_goes_in_by_create_is_a_copy() -> None:
    tree, event = a_tree(), {"summary": "Lunch", "guests": ["bo"]}
    tree.create("calendars[c2].events", event, id="e2")
    event["guests"] = []
    assert tree.get("calendars[c2].events[e2].guests") == ["bo"]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("calendar[c2]", "calendar[c2]"),
        ("calendars[c9].events", "calendars[c9]"),
        ("calendars[c2].events[e1].summary", "events[e1]"),
        ("name.first", "first"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error_that_names_the_missing_part(path: str, part: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        a_tree().get(path)
    assert str(caught.value) == f"{path} leads nowhere: there is no {part}."


def test_one_value_cannot_be_taken_from_a_path_with_wildcards() -> None:
    with pytest.raises(SandboxError, match="may lead to several places"):
        a_tree().get("calendars[*]")


def test_wildcards_lead_to_every_child_in_order() -> None:
    found = a_tree().matches("calendars[*].events")
    assert [match.path for match in found] == ["calendars[c.1@group].events", "calendars[c2].events"]


@pytest.mark.parametrize(
    ("path", "filters", "limit", "ids"),
    [
        ("people", None, None, ["ann@x.example", "bo"]),
        ("people", None, 1, ["ann@x.example"]),
        ("people[*]", {"id": "bo"}, None, ["bo"]),
        ("people[bo]", None, None, ["bo"]),
        ("people", {"id": "nobody"}, None, []),
    ],
)
def test_listing_gives_entities_that_hold_the_filters(
    path: str, filters: dict[str, Any] | None, limit: int | None, ids: list[str]
) -> None:
    assert [each["id"] for each in a_tree().list(path, filters, limit)] == ids


def test_listing_goes_through_every_collection_that_wildcards_lead_to() -> None:
    assert a_tree().list("calendars[*].events", {"start.time": "9"}) == [
        data()["calendars"]["c.1@group"]["events"]["e1"]
    ]


def test_listing_something_that_is_no_collection_is_an_error() -> None:
    with pytest.raises(SandboxError, match=r"name is str, not a collection\."):
        a_tree().list("name")


def test_an_entity_is_found_by_any_text() -> None:
    tree = a_tree()
    assert tree.find("people", "bo") == {"id": "bo"}
    assert [tree.find("people", text) for text in ("*", "]", "primary", "")] == [None] * 4


def test_create_fills_in_the_id_field_and_takes_a_seeded_id_where_none_is_given() -> None:
    first, second = (tree.create("calendars[primary].events", {"summary": "Lunch"}) for tree in (a_tree(), a_tree()))
    assert first == second
    tree = a_tree()
    assert tree.create("people", {"id": "cy"}) == "cy"
    assert tree.create("people", {"name": "Di"}, id="di") == "di"
    assert tree.get("people[di]") == {"id": "di", "name": "Di"}


def test_create_makes_the_collection_that_an_entity_lacks() -> None:
    tree = ContextTree.of({"a": {"x": {"n": 1}}})
    tree.create("a[x].parts", {"n": 2}, id="p")
    assert tree.to_json() == {"a": {"x": {"n": 1, "parts": {"p": {"n": 2}}}}}


@pytest.mark.parametrize(
    ("path", "id_", "error", "message"),
    [
        ("calendars[c9].events", "e", NotFoundError, "calendars[c9] leads nowhere: there is no calendars[c9]."),
        ("people", "bo", ConflictError, "people[bo] is already there."),
        ("people[bo]", "x", SandboxError, "people[bo] is not a collection; create takes a path that ends in a name."),
        ("people", "a]b", SandboxError, "'a]b' cannot be an id: no path could name it."),
        (
            "person",
            "x",
            NotFoundError,
            "no collection is at person; there are: people, calendars, calendars[*].events.",
        ),
    ],
)
def test_create_refuses(path: str, id_: str, error: type[SandboxError], message: str) -> None:
    tree = a_tree()
    with pytest.raises(error) as caught:
        tree.create(path, {}, id=id_)
    assert str(caught.value) == message
    assert tree.to_json() == data()


@pytest.mark.parametrize("fields", [{"owner": "nobody"}, {"guests": ["bo", "nobody"]}], ids=str)
def test_a_reference_must_lead_to_an_entity(fields: dict[str, Any]) -> None:
    tree = a_tree()
    with pytest.raises(DanglingReferenceError, match="nothing in people has the id 'nobody'"):
        tree.create("calendars[c2].events", fields)
    with pytest.raises(DanglingReferenceError):
        tree.update("calendars[c.1@group].events[e1]", fields)
    assert tree.to_json() == data()


def test_an_entity_of_a_guarded_collection_stays_while_others_refer_to_it() -> None:
    tree = a_tree()
    with pytest.raises(
        ConflictError, match=r"people\[bo\] cannot be deleted: calendars\[c.1@group\].events\[e1\] refers"
    ):
        tree.delete("people[bo]")
    tree.update("calendars[c.1@group].events[e1]", {"owner": None})
    assert tree.delete("people[bo]") == {"id": "bo"}


def test_update_sets_fields_and_leaves_the_others_in_their_order() -> None:
    tree = a_tree()
    tree.update("calendars[c.1@group].events[e1]", {"room": "4", "summary": "Call"})
    assert json.dumps(tree.get("calendars[c.1@group].events[e1]")) == json.dumps(
        {"event_id": "e1", "summary": "Call", "start.time": "9", "owner": "bo", "room": "4"}
    )


def test_an_update_that_changes_nothing_is_no_edit() -> None:
    tree = a_tree()
    tree.update("people[bo]", {"id": "bo"})
    tree.remove_fields("people[bo]", "nothing")
    assert tree.journal == ()


def test_the_root_can_be_updated_but_not_deleted() -> None:
    tree = a_tree()
    tree.update(Path(), {"name": "Bea"})
    assert tree.get("name") == "Bea"
    with pytest.raises(SandboxError, match="root"):
        tree.delete(Path())


def test_removing_fields_takes_them_out() -> None:
    assert a_tree().remove_fields("settings", "zone", "other") == {}


@pytest.mark.parametrize("value", [[], "text", None, 3], ids=repr)
def test_a_tree_begins_with_an_object(value: Any) -> None:
    with pytest.raises(SandboxError, match="begins with a JSON object"):
        ContextTree.of(value)


def test_json_text_keeps_its_order() -> None:
    text = '{"b": {"z": 1, "a": [true, null, 1.5]}, "a": "é"}'
    assert ContextTree.from_text(text).text() == text


def test_forks_go_their_own_ways() -> None:
    tree = a_tree()
    fork = tree.fork()
    fork.delete("calendars[c2]")
    assert tree.to_json() == data()
    assert fork.journal[0].path == "calendars[c2]"
    assert tree.journal == ()


def test_trees_of_personal_contexts_are_addressed_by_their_own_ids() -> None:
    """Lark's fields are flattened (``start_time.timestamp``), its ids hold dots and ``@`` (MCP-Persona's data)."""
    record = json.loads(shared_file("persona/persona_tasks_reduced.json").read_text())[0]
    tree = ContextTree.of(record["sampled_contexts"]["lark_mcp"][0]["data"])
    calendar = "calendars[feishu.cn_v7jy192knrj7zflo8ol3dh@group.calendar.feishu.cn]"
    event = f"{calendar}.events[085188fe6a5cd9b2844f5219b9491d0b_0]"
    assert tree.get(f"{event}.start_time.timestamp") == "1704067200"
    assert tree.get("chats[oc_2cf23b797f122483dffe11dd46fbe9bf].members[qxaj36y5].is_owner") is True
    assert [match.value["message_id"] for match in tree.matches("chats[*].messages[*]")] == [
        "om_e7a34903efcf84b80e09a790f2cb5877"
    ]
    before = tree.fork()
    tree.update(event, {"start_time.timestamp": "1704070800"})
    tree.create(f"{calendar}.events", {"summary": "Review"}, id="new_0")
    assert [(change.kind, change.collection, change.id) for change in tree.diff_from(before)] == [
        ("updated", f"{calendar}.events", "085188fe6a5cd9b2844f5219b9491d0b_0"),
        ("created", f"{calendar}.events", "new_0"),
    ]
