from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.notion.objects import rich_text
from pytest_mcpbench.simulated.notion.seed import BOT, database_id, seed, user_id
from pytest_mcpbench.simulated.notion.server import SIMULATION
from tests.simulated.service import Service, parameters

TREE = seed()
PROJECT = next(each for each in TREE["pages"].values() if "Budget" in each["properties"])
PAGE = PROJECT["id"]
BLOCKS = [each for each in TREE["blocks"].values() if each["parent"]["page_id"] == PAGE]
TASKS = database_id("tasks")
NOBODY = "00000000-0000-0000-0000-000000000000"
SHARE = "Make sure the relevant pages and databases are shared with your integration."


def a_text(content: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": {"content": content}}]


def a_paragraph(content: str, **more: Any) -> dict[str, Any]:
    return {"object": "block", "type": "paragraph", "paragraph": {"rich_text": a_text(content), **more}}


def said(block: dict[str, Any]) -> str:
    return "".join(each["plain_text"] for each in block[block["type"]].get("rich_text", ()))


def an_error(status: int, code: str, message: str) -> dict[str, Any]:
    return {"object": "error", "status": status, "code": code, "message": message}


def an_invalid(message: str) -> dict[str, Any]:
    return an_error(400, "validation_error", message)


@pytest.fixture
def notion() -> Service:
    return Service(SIMULATION)


def lines(notion: Service, block: str = PAGE) -> list[str]:
    return [said(each) for each in notion.call("notion_retrieve_block_children", block_id=block)["results"]]


def test_the_parameters_are_those_of_the_real_server() -> None:
    paging = {"start_cursor", "page_size", "format"}
    assert parameters(SIMULATION) == {
        "notion_append_block_children": {"block_id*", "children*", "after", "format"},
        "notion_create_comment": {"rich_text*", "parent", "discussion_id", "format"},
        "notion_create_database_item": {"database_id*", "properties*", "format"},
        "notion_delete_block": {"block_id*", "format"},
        "notion_list_all_users": paging,
        "notion_retrieve_block": {"block_id*", "format"},
        "notion_retrieve_block_children": {"block_id*", *paging},
        "notion_retrieve_comments": {"block_id*", *paging},
        "notion_retrieve_page": {"page_id*", "format"},
        "notion_retrieve_user": {"user_id*", "format"},
        "notion_search": {"query", "filter", "sort", *paging},
        "notion_update_block": {"block_id*", "block*", "format"},
        "notion_update_page_properties": {"page_id*", "properties*", "format"},
    }


@pytest.mark.parametrize("written", [PAGE, PAGE.replace("-", ""), PAGE.upper()], ids=["as it is", "plain", "capital"])
def test_a_page_is_found_however_its_id_is_written(notion: Service, written: str) -> None:
    page = notion.call("notion_retrieve_page", page_id=written, format="markdown")
    assert (page["object"], page["id"], page["parent"]["type"]) == ("page", PAGE, "database_id")
    assert page["properties"]["Lead"]["people"] == [{"object": "user", "id": user_id(CAST.me)}]


def test_users_come_page_by_page(notion: Service) -> None:
    first = notion.call("notion_list_all_users", page_size=20)
    second = notion.call("notion_list_all_users", page_size=20, start_cursor=first["next_cursor"])
    assert [each["id"] for each in first["results"] + second["results"]] == list(TREE["users"])
    assert (first["has_more"], second["has_more"], second["next_cursor"]) == (True, False, None)
    boss = notion.call("notion_retrieve_user", user_id=user_id(CAST.person("mei.zhao")))
    assert (boss["name"], boss["person"]["email"]) == ("Mei Zhao", "mei.zhao@northlight.example")


def test_a_search_is_ordered_by_the_last_change(notion: Service) -> None:
    for direction in ("ascending", "descending"):
        sort = {"direction": direction, "timestamp": "last_edited_time"}
        found = notion.call("notion_search", query="onboarding", sort=sort)["results"]
        moments = [each["last_edited_time"] for each in found]
        assert moments == sorted(moments, reverse=direction == "descending")


def test_blocks_are_appended_at_the_end_or_behind_another(notion: Service) -> None:
    before = lines(notion)
    notion.call("notion_append_block_children", block_id=PAGE, children=[a_paragraph("last")])
    answer = notion.call(
        "notion_append_block_children",
        block_id=PAGE,
        children=[a_paragraph("one"), a_paragraph("two")],
        after=BLOCKS[0]["id"],
    )
    assert [said(each) for each in answer["results"]] == ["one", "two"]
    assert lines(notion) == [before[0], "one", "two", *before[1:], "last"]
    assert {each.kind for each in notion.changes()} == {"created"}
    assert "rank" not in answer["results"][0]


def test_blocks_inside_blocks_are_made_too(notion: Service) -> None:
    outer = a_paragraph("outer", children=[a_paragraph("inner")])
    (made,) = notion.call("notion_append_block_children", block_id=PAGE, children=[outer])["results"]
    assert made["has_children"]
    assert lines(notion, made["id"]) == ["inner"]
    notion.call("notion_delete_block", block_id=made["id"])
    assert notion.changes() == ()


def test_a_block_is_changed_and_deleted(notion: Service) -> None:
    heading = BLOCKS[0]["id"]
    notion.call("notion_update_block", block_id=heading, block={"heading_2": {"rich_text": a_text("Why")}})
    assert said(notion.call("notion_retrieve_block", block_id=heading)) == "Why"
    to_do = next(each["id"] for each in BLOCKS if each["type"] == "to_do")
    checked = notion.call("notion_update_block", block_id=to_do, block={"to_do": {"checked": True}})["to_do"]
    assert (checked["checked"], bool(checked["rich_text"])) == (True, True)
    gone = notion.call("notion_delete_block", block_id=BLOCKS[1]["id"])
    assert (gone["archived"], gone["in_trash"]) == (True, True)
    assert [(each.kind, each.id) for each in notion.changes()] == [
        ("updated", heading),
        ("deleted", BLOCKS[1]["id"]),
        ("updated", to_do),
    ]


def test_a_page_is_a_block_too(notion: Service) -> None:
    block = notion.call("notion_retrieve_block", block_id=PAGE)
    assert (block["object"], block["type"], block["child_page"]) == (
        "block",
        "child_page",
        {"title": "Lantern onboarding"},
    )


def test_properties_of_a_page_are_set(notion: Service) -> None:
    changed = {
        "Budget": {"number": 50000},
        "Status": {"status": {"name": "Done"}},
        "Due": {"date": {"start": "2026-04-01"}},
        "Lead": {"people": [{"object": "user", "id": user_id(CAST.person("yichen.wang"))}]},
    }
    page = notion.call("notion_update_page_properties", page_id=PAGE, properties=changed)
    assert (page["properties"]["Budget"]["number"], page["properties"]["Status"]["status"]["name"]) == (50000, "Done")
    assert page["properties"]["Name"] == PROJECT["properties"]["Name"]
    assert (page["last_edited_by"]["id"], page["last_edited_time"]) == (BOT, "2026-03-02T09:00:00.000Z")
    assert [(each.kind, each.path) for each in notion.changes()] == [("updated", f"pages[{PAGE}]")]


def test_an_item_of_a_database_has_all_its_columns(notion: Service) -> None:
    values = {"Task": {"title": a_text("Call the venue")}, "Project": {"relation": [{"id": PAGE}]}}
    item = notion.call("notion_create_database_item", database_id=TASKS, properties=values)
    assert set(item["properties"]) == set(TREE["databases"][TASKS]["properties"])
    assert item["properties"]["Done"]["checkbox"] is False
    assert item["parent"] == {"type": "database_id", "database_id": TASKS}
    assert [(each.kind, each.path) for each in notion.changes()] == [("created", f"pages[{item['id']}]")]
    assert notion.call("notion_search", query="call the venue")["results"][0]["id"] == item["id"]


def test_a_discussion_is_continued(notion: Service) -> None:
    there = notion.call("notion_retrieve_comments", block_id=PAGE)["results"]
    new = notion.call("notion_create_comment", parent={"page_id": PAGE}, rich_text=a_text("New"))
    old = notion.call("notion_create_comment", discussion_id=there[0]["discussion_id"], rich_text=a_text("Old"))
    assert old["discussion_id"] == there[0]["discussion_id"] != new["discussion_id"]
    assert notion.call("notion_retrieve_comments", block_id=PAGE)["results"] == [*there, new, old]
    assert [each.collection for each in notion.changes()] == ["comments", "comments"]


PLACE = "body failed validation: body.children[0]"


def test_a_missing_capability_is_an_error_of_the_api() -> None:
    notion = Service(SIMULATION, seed={**seed(), "scopes": ["read_content"]})
    notion.call("notion_retrieve_page", page_id=PAGE)
    error = an_error(403, "restricted_resource", "Insufficient permissions for this endpoint.")
    assert notion.refusal("notion_delete_block", block_id=PAGE) == error
    assert notion.refusal("notion_list_all_users") == error


def test_contexts_of_mcp_persona_are_taken_over() -> None:
    context = {
        "user": {"object": "user", "id": "u1", "name": "Ann"},
        "page": {"object": "page", "id": "p1", "properties": {}},
        "blocks": {"b1": {"id": "b1", "type": "paragraph", "paragraph": {"rich_text": rich_text("Hello")}}},
        "comments": [{"id": "c1", "rich_text": []}],
    }
    notion = Service(SIMULATION, seed={"p1": context})
    assert lines(notion, "p1") == ["Hello"]
    assert [each["id"] for each in notion.call("notion_retrieve_comments", block_id="p1")["results"]] == ["c1"]
    assert notion.call("notion_retrieve_user", user_id="u1")["name"] == "Ann"
    notion.call("notion_append_block_children", block_id="p1", children=[a_paragraph("more")])
    assert [each.kind for each in notion.changes()] == ["created"]
