"""The initial workspace of an attempt: the company's people, projects, tasks and minutes."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from string import ascii_letters
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, NOW, Meeting, Person, Project
from pytest_mcpbench.simulated.notion.objects import Object, edit_stamps, instant, reference, rich_text, url

_STATUS = {"on track": "In progress", "at risk": "In progress", "blocked": "Blocked", "done": "Done"}


@cache
def seed() -> dict[str, Any]:
    """Return the complete workspace.

    It is built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    databases = {each["id"]: each for each in _databases()}
    pages = {each["id"]: each for each in (_home(), *map(_project, CAST.projects), *_tasks(), *_minutes())}
    blocks = {each["id"]: each for each in _blocks()}
    comments = {each["id"]: each for each in _comments()}
    return {"users": users(), "databases": databases, "pages": pages, "blocks": blocks, "comments": comments}


def empty() -> dict[str, Any]:
    """Return a workspace with the people and one empty page."""
    home = _home()
    return {"users": users(), "databases": {}, "pages": {home["id"]: home}, "blocks": {}, "comments": {}}


def convert_contexts(tree: dict[str, Any]) -> dict[str, Any]:
    """Convert contexts of MCP-Persona to a tree; each has a ``user``, a ``page``, ``blocks`` and ``comments``."""
    collections: dict[str, Any] = {name: {} for name in ("users", "databases", "pages", "blocks", "comments")}
    if "pages" in tree:
        return collections | tree
    for key, context in tree.items():
        if isinstance(context, dict):
            # Objects without a parent belong to the context's page.
            context_page = context.get("page")
            page_fields = context_page if isinstance(context_page, dict) else {}
            page_id = str(page_fields.get("id", key))
            parent = {"type": "page_id", "page_id": page_id}
            collections["users"].update(_by_id([context.get("user")]))
            if page_fields:
                workspace = {"type": "workspace", "workspace": True}
                collections["pages"][page_id] = page(page_id, workspace, {}, NOW, BOT) | page_fields
            blocks = _by_id(_members(context.get("blocks")))
            collections["blocks"] |= {
                object_id: {"object": "block", "parent": parent, "rank": rank, **block}
                for rank, (object_id, block) in enumerate(blocks.items())
            }
            comments = _by_id(_members(context.get("comments")))
            missing = {"object": "comment", "parent": parent, "discussion_id": page_id}
            collections["comments"] |= {object_id: missing | comment for object_id, comment in comments.items()}
    return collections


def users() -> dict[str, Any]:
    """Return everybody in the workspace, and the integration through which the server is connected."""
    bot = {"type": "bot", "bot": {"owner": {"type": "workspace", "workspace": True}, "workspace_name": "Northlight"}}
    people = [user(each) for each in CAST.colleagues]
    members = [*people, {"object": "user", "id": BOT, "name": "Assistant", "avatar_url": None, **bot}]
    return {each["id"]: each for each in members}


BOT = CAST.ids("notion/bot").uuid()
"""The id of the integration, which is the author of everything that agents write."""


def user_id(person: Person) -> str:
    """Return the id of a person in the workspace."""
    return person.ids("notion").uuid()


def database_id(name: str) -> str:
    """Return the id of the database ``projects``, ``tasks`` or ``minutes``."""
    return CAST.ids(f"notion/databases/{name}").uuid()


def _by_id(items: list[Any]) -> dict[str, Any]:
    return {each["id"]: each for each in items if isinstance(each, dict) and "id" in each}


def _members(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def user(person: Person) -> Object:
    """Return a person in the API's form."""
    return {
        "object": "user",
        "id": user_id(person),
        "name": person.name,
        "avatar_url": None,
        "type": "person",
        "person": {"email": person.email},
    }


def _databases() -> Iterator[Object]:
    for name, title, columns in _COLUMNS:
        ids = CAST.ids(f"notion/databases/{name}/properties")
        properties: dict[str, Object] = {}
        for column, kind in columns:
            column_id = ids.text(4, ascii_letters)
            settings: Object = {}
            if kind in ("select", "status", "multi_select"):
                options = [{"id": each.lower().replace(" ", "-"), "name": each} for each in _OPTIONS[column]]
                settings = {"options": options}
            if kind == "relation":
                settings = {"database_id": database_id("projects"), "type": "single_property", "single_property": {}}
            property_id = "title" if kind == "title" else column_id
            properties[column] = {"id": property_id, "name": column, "type": kind, kind: settings}
        yield {
            "object": "database",
            "id": database_id(name),
            **edit_stamps(NOW - timedelta(days=300), user_id(CAST.me)),
            "title": rich_text(title),
            "description": [],
            "icon": None,
            "cover": None,
            "parent": {"type": "page_id", "page_id": _home_id()},
            "url": url(database_id(name)),
            "archived": False,
            "is_inline": True,
            "properties": properties,
        }


@cache
def _columns(name: str) -> Object:
    """Return the columns of a database; the result is cached and must not be modified."""
    columns: Object = next(each for each in _databases() if each["id"] == database_id(name))["properties"]
    return columns


def _home_id() -> str:
    return CAST.ids("notion/pages/home").uuid()


def _home() -> Object:
    title = {"title": {"id": "title", "type": "title", "title": rich_text("Northlight HQ")}}
    parent = {"type": "workspace", "workspace": True}
    return page(_home_id(), parent, title, NOW - timedelta(days=400), user_id(CAST.me))


def page(page_id: str, parent: Object, properties: Object, moment: datetime, author: str) -> Object:
    """Return a page in the API's form."""
    return {
        "object": "page",
        "id": page_id,
        **edit_stamps(moment, author),
        "cover": None,
        "icon": None,
        "parent": parent,
        "archived": False,
        "in_trash": False,
        "properties": properties,
        "url": url(page_id),
        "public_url": None,
    }


def _item(name: str, key: str, values: Object, moment: datetime, author: str) -> Object:
    """Return a page in a database; ``values`` are its column values, without ids and types."""
    columns = _columns(name)
    properties = {
        column: {"id": facts["id"], "type": facts["type"], facts["type"]: values[column]}
        for column, facts in columns.items()
    }
    parent = {"type": "database_id", "database_id": database_id(name)}
    return page(_page_id(name, key), parent, properties, moment, author)


def _page_id(name: str, key: str) -> str:
    return CAST.ids(f"notion/{name}/{key}").uuid()


def _project(project: Project) -> Object:
    ids = CAST.ids(f"notion/projects/{project.key}/facts")
    lead = CAST.person(project.lead)
    values = {
        "Name": rich_text(project.name),
        "Lead": [reference(user_id(lead))],
        "Status": _choice("Status", _STATUS[project.status]),
        "Health": _choice("Health", project.status.capitalize()),
        "Due": {"start": project.due.isoformat(), "end": None, "time_zone": None},
        "Budget": project.budget,
        "Members": [reference(user_id(each)) for each in CAST.persons(project.members)],
    }
    return _item("projects", project.key, values, NOW - timedelta(days=ids.number(1, 30)), user_id(lead))


def _choice(column: str, name: str) -> Object:
    return {"id": name.lower().replace(" ", "-"), "name": name, "color": "default"} if name in _OPTIONS[column] else {}


def _tasks() -> Iterator[Object]:
    for project in CAST.projects:
        ids = CAST.ids(f"notion/tasks/{project.key}/facts")
        members, first = CAST.persons(project.members), ids.number(0, len(_TASKS) - 1)
        for number in range(5):
            owner = members[ids.number(0, len(members) - 1)]
            values = {
                "Task": rich_text(f"{_TASKS[(first + number) % len(_TASKS)]} ({project.name})"),
                "Assignee": [reference(user_id(owner))],
                "Status": _choice("Status", _OPTIONS["Status"][ids.number(0, 3)]),
                "Due": {
                    "start": (project.due - timedelta(days=7 * number)).isoformat(),
                    "end": None,
                    "time_zone": None,
                },
                "Project": [{"id": _page_id("projects", project.key)}],
                "Done": False,
            }
            moment = NOW - timedelta(days=ids.number(1, 60), minutes=ids.number(0, 800))
            yield _item("tasks", f"{project.key}-{number}", values, moment, user_id(owner))


def _reviews() -> list[Meeting]:
    return [each for each in CAST.meetings if each.project and each.start < NOW]


def _minutes() -> Iterator[Object]:
    for meeting in _reviews():
        values = {
            "Meeting": rich_text(meeting.title),
            "Date": {"start": instant(meeting.start), "end": None, "time_zone": None},
            "Attendees": [reference(user_id(each)) for each in CAST.persons(meeting.attendees)],
            "Project": [{"id": _page_id("projects", meeting.project or "")}],
        }
        yield _item("minutes", meeting.key, values, meeting.end, user_id(CAST.person(meeting.organizer)))


def _blocks() -> Iterator[Object]:
    """Yield the blocks of the home page, of each project's brief and of each meeting's minutes."""
    yield from _page_blocks(_home_id(), _HOME, user_id(CAST.me), NOW - timedelta(days=90))
    for project in CAST.projects:
        facts = {"name": project.name, "status": project.status, "due": project.due, "budget": project.budget}
        texts = [(kind, text.format(**facts)) for kind, text in _BRIEF]
        author = user_id(CAST.person(project.lead))
        yield from _page_blocks(_page_id("projects", project.key), texts, author, NOW - timedelta(days=20))
    for meeting in _reviews():
        people = CAST.persons(meeting.attendees)
        facts = {"title": meeting.title, "place": meeting.place, "one": people[0].name, "two": people[-1].name}
        texts = [(kind, text.format(**facts)) for kind, text in _MINUTES]
        yield from _page_blocks(_page_id("minutes", meeting.key), texts, user_id(people[0]), meeting.end)


def _page_blocks(page_id: str, texts: Any, author: str, moment: datetime) -> Iterator[Object]:
    ids = CAST.ids(f"notion/blocks/{page_id}")
    for rank, (kind, text) in enumerate(texts):
        checked = {"checked": False} if kind == "to_do" else {}
        content = {"rich_text": rich_text(text), **checked, "color": "default"}
        yield {
            "object": "block",
            "id": ids.uuid(),
            "parent": {"type": "page_id", "page_id": page_id},
            **edit_stamps(moment, author),
            "archived": False,
            "type": kind,
            kind: content,
            "rank": rank,
        }


def _comments() -> Iterator[Object]:
    for project in CAST.projects:
        ids = CAST.ids(f"notion/comments/{project.key}")
        discussion, members = ids.uuid(), CAST.persons(project.members)
        moment = NOW - timedelta(days=ids.number(2, 9))
        for number in range(3):
            moment += timedelta(hours=ids.number(1, 14))
            yield {
                "object": "comment",
                "id": ids.uuid(),
                "parent": {"type": "page_id", "page_id": _page_id("projects", project.key)},
                "discussion_id": discussion,
                "created_time": instant(moment),
                "last_edited_time": instant(moment),
                "created_by": reference(user_id(members[number % len(members)])),
                "rich_text": rich_text(_REMARKS[(number + ids.number(0, 4)) % len(_REMARKS)]),
            }


_COLUMNS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    (
        "projects",
        "Projects",
        (
            ("Name", "title"),
            ("Lead", "people"),
            ("Status", "status"),
            ("Health", "select"),
            ("Due", "date"),
            ("Budget", "number"),
            ("Members", "people"),
        ),
    ),
    (
        "tasks",
        "Tasks",
        (
            ("Task", "title"),
            ("Assignee", "people"),
            ("Status", "status"),
            ("Due", "date"),
            ("Project", "relation"),
            ("Done", "checkbox"),
        ),
    ),
    (
        "minutes",
        "Meeting minutes",
        (("Meeting", "title"), ("Date", "date"), ("Attendees", "people"), ("Project", "relation")),
    ),
)
_OPTIONS = {
    "Status": ("Not started", "In progress", "Blocked", "Done"),
    "Health": ("On track", "At risk", "Blocked", "Done"),
}
_TASKS = (
    "Collect open questions",
    "Write the test plan",
    "Prepare the demo",
    "Update the cost table",
    "Ask the client for feedback",
    "Draw the second variant",
    "Check the numbers again",
    "Plan the next four weeks",
    "Tell the other teams",
)
_HOME = (
    ("heading_1", "Welcome"),
    ("paragraph", "Everything that is not in the chat is here."),
    ("bulleted_list_item", "Projects: one page each, kept by its lead"),
    ("bulleted_list_item", "Tasks: assign yourself"),
    ("bulleted_list_item", "Meeting minutes: on the same day"),
    ("callout", "Do not put passwords here."),
)
_BRIEF = (
    ("heading_2", "Brief"),
    ("paragraph", "{name} is {status}. It ends on {due} and may cost {budget} euros."),
    ("heading_2", "Next steps"),
    ("to_do", "Agree on the scope of {name}"),
    ("to_do", "Invite to the demo"),
    ("quote", "Less, but on time."),
)
_MINUTES = (
    ("heading_2", "{title}"),
    ("paragraph", "We met in {place}. {one} took the notes."),
    ("bulleted_list_item", "The date stays as it is."),
    ("to_do", "{two} sends the list of open points"),
)
_REMARKS = (
    "Could you add the numbers of last week?",
    "Done, please check again.",
    "I would move this to the next quarter.",
    "Agreed.",
    "Who talks to the client?",
)
