"""Actions in Notion: pages, their blocks and comments, and database items."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.notion.objects import Object, plain_text, title_of
from pytest_mcpbench.simulated.notion.seed import database_id, seed, user_id

SERVER = "notion"


def search(query: str, *values: Any) -> Action:
    """Find pages by title. Without values, the page with that title must be among the results."""
    expected = values or ({"id": page_id(query)},)
    return lookup(SERVER, "notion_search", {"query": query}, f"find the page '{query}'", *expected)


def find_database(title: str) -> Action:
    """Find a database by title."""
    arguments = {"query": title, "filter": {"property": "object", "value": "database"}}
    return lookup(SERVER, "notion_search", arguments, f"find the database '{title}'")


def read_page(title: str, *values: Any) -> Action:
    """Read a page with its properties."""
    return lookup(SERVER, "notion_retrieve_page", {"page_id": page_id(title)}, f"read the page '{title}'", *values)


def list_users(*values: Any) -> Action:
    """List all users."""
    return lookup(SERVER, "notion_list_all_users", {"page_size": 100}, "list the people of the workspace", *values)


def read_user(key: str, *values: Any) -> Action:
    """Read one user."""
    who = CAST.person(key)
    return lookup(SERVER, "notion_retrieve_user", {"user_id": user_id(who)}, f"see who {who.name} is", *values)


def list_blocks(title: str, *values: Any) -> Action:
    """List the blocks of a page."""
    arguments = {"block_id": page_id(title)}
    return lookup(SERVER, "notion_retrieve_block_children", arguments, f"read what stands on '{title}'", *values)


def read_block(title: str, text: str, *values: Any) -> Action:
    """Read the block of a page that contains the text."""
    arguments = {"block_id": _block(title, text)["id"]}
    return lookup(SERVER, "notion_retrieve_block", arguments, f"read the block '{text}'", *values)


def list_comments(title: str, *values: Any) -> Action:
    """List the comments on a page."""
    arguments = {"block_id": page_id(title)}
    return lookup(SERVER, "notion_retrieve_comments", arguments, f"read the comments on '{title}'", *values)


def comment(title: str, text: str, *facts: Fact) -> Action:
    """Comment on a page, as a new discussion or in an existing one."""
    arguments = {"parent": {"page_id": page_id(title)}, "rich_text": _text(text)}
    return change(
        "create",
        SERVER,
        "notion_create_comment",
        arguments,
        f"comment on '{title}'",
        *facts,
        collection="comments",
        fields={"parent.page_id": page_id(title)},
    )


def reply(title: str, text: str, *facts: Fact) -> Action:
    """Reply in the discussion on a page."""
    discussion = next(each["discussion_id"] for each in _seed()["comments"].values() if page_id(title) in _parent(each))
    return change(
        "create",
        SERVER,
        "notion_create_comment",
        {"discussion_id": discussion, "rich_text": _text(text)},
        f"answer in the discussion on '{title}'",
        *facts,
        collection="comments",
        fields={"discussion_id": discussion},
    )


def append_block(title: str, kind: str, text: str) -> Action:
    """Append one text block to a page."""
    arguments = {
        "block_id": page_id(title),
        "children": [{"object": "block", "type": kind, kind: {"rich_text": _text(text)}}],
    }
    return change(
        "create",
        SERVER,
        "notion_append_block_children",
        arguments,
        f"add to the page '{title}'",
        text,
        collection="blocks",
        fields={"parent.page_id": page_id(title), "type": kind},
    )


def rewrite_block(title: str, old: str, text: str) -> Action:
    """Replace the text of a block."""
    found_block = _block(title, old)
    kind = found_block["type"]
    return change(
        "modify",
        SERVER,
        "notion_update_block",
        {"block_id": found_block["id"], "block": {kind: {"rich_text": _text(text)}}},
        f"change the block '{old}'",
        text,
        collection="blocks",
        entity=found_block["id"],
    )


def check_off(title: str, text: str) -> Action:
    """Check off a to-do block."""
    found_block = _block(title, text)
    return change(
        "modify",
        SERVER,
        "notion_update_block",
        {"block_id": found_block["id"], "block": {"to_do": {"checked": True}}},
        f"tick off '{text}'",
        collection="blocks",
        entity=found_block["id"],
        fields={"to_do.checked": True},
    )


def delete_block(title: str, text: str) -> Action:
    """Delete a block."""
    found_block = _block(title, text)
    return change(
        "delete",
        SERVER,
        "notion_delete_block",
        {"block_id": found_block["id"]},
        f"delete the block '{text}'",
        collection="blocks",
        entity=found_block["id"],
    )


def update_properties(title: str, **properties: Any) -> Action:
    """Set properties of a page by column name: a status, a date, a number, people or a checkbox."""
    sent = {name: _value(title, name, value) for name, value in properties.items()}
    fields = {f"properties.{name}.{path}": value for name, (_, path, value) in sent.items()}
    arguments = {"page_id": page_id(title), "properties": {name: each for name, (each, _, _) in sent.items()}}
    return change(
        "modify",
        SERVER,
        "notion_update_page_properties",
        arguments,
        f"change the page '{title}'",
        collection="pages",
        entity=page_id(title),
        fields=fields,
    )


def add_task(name: str, who: str, due: str, project: str = "", status: str = "") -> Action:
    """Add a task to the task database."""
    fields: dict[str, Any] = {
        "parent.database_id": database_id("tasks"),
        "properties.Due.date.start": due,
    }
    properties: dict[str, Any] = {
        "Task": {"title": _text(name)},
        "Assignee": {"people": [{"object": "user", "id": user_id(CAST.person(who))}]},
        "Due": {"date": {"start": due}},
    }
    facts = [name, user_id(CAST.person(who))]
    if project:
        properties["Project"] = {"relation": [{"id": page_id(project)}]}
        facts.append(page_id(project))
    if status:
        properties["Status"] = {"status": {"name": status}}
        fields["properties.Status.status.name"] = status
    return change(
        "create",
        SERVER,
        "notion_create_database_item",
        {"database_id": database_id("tasks"), "properties": properties},
        f"add the task '{name}'",
        *facts,
        collection="pages",
        fields=fields,
    )


def page_id(title: str) -> str:
    """Return the id of the only page with a title."""
    (expected,) = [each["id"] for each in _seed()["pages"].values() if title_of(each) == title]
    return str(expected)


@cache
def _seed() -> dict[str, Any]:
    return seed()


def _text(text: str) -> list[Object]:
    return [{"type": "text", "text": {"content": text}}]


def _parent(found_object: Mapping[str, Any]) -> list[str]:
    return list(map(str, found_object["parent"].values()))


def _block(title: str, text: str) -> Object:
    on_page = [each for each in _seed()["blocks"].values() if page_id(title) in _parent(each)]
    (expected,) = [each for each in on_page if text in plain_text(each[each["type"]]["rich_text"])]
    return dict(expected)


def _value(title: str, name: str, value: Any) -> tuple[Any, str, Any]:
    """Return the value to send for a column, the path at which to check it, and the value expected there."""
    kind = _seed()["pages"][page_id(title)]["properties"][name]["type"]
    if kind in ("status", "select"):
        return {kind: {"name": value}}, f"{kind}.name", value
    if kind == "date":
        return {"date": {"start": value}}, "date.start", value
    if kind == "people":
        people = [{"object": "user", "id": user_id(CAST.person(value))}]
        return {"people": people}, "people", [{"id": people[0]["id"]}]
    return {kind: value}, kind, value
