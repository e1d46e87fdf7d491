"""A Notion workspace over a context tree, as an integration sees it through the API.

The tree is ``{users, databases, pages, blocks, comments}``, each by id, with objects in the API's form; parents are
referenced by id. A block's ``rank`` is its position among its siblings. A tree may have a list ``scopes`` of the
integration's capabilities. Contexts of MCP-Persona (each with a ``user``, a ``page``, ``blocks`` and ``comments``)
are converted to this form.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import page
from pytest_mcpbench.simulated.notion import seed
from pytest_mcpbench.simulated.notion.failures import invalid, invalid_value, missing_object
from pytest_mcpbench.simulated.notion.objects import Object, complete_text, edit_stamps, instant, reference, title_of

# The values of a page's properties: validation and conversion to the API's form.

Exists = Callable[[str, str], bool]
"""A predicate that takes a collection and an id and returns whether the object exists."""

_READ_ONLY = ("created_time", "created_by", "last_edited_time", "last_edited_by", "formula", "rollup", "unique_id")


def property_values(columns: Mapping[str, Object], values: Mapping[str, Any], exists: Exists) -> Object:
    """Return the properties to store for the values of a request, which name columns by name or id."""
    properties = {}
    for name, value in values.items():
        column = name if name in columns else next((key for key, each in columns.items() if each["id"] == name), None)
        if column is None:
            raise invalid(f"{name} is not a property that exists.")
        kind = columns[column]["type"]
        if kind in _READ_ONLY:
            raise invalid(f"{column} is a {kind} property and cannot be updated.")
        if not isinstance(value, dict) or kind not in value:
            raise invalid(f"{column} is expected to be {kind}.")
        content = value[kind]
        if content is None and kind not in ("title", "checkbox"):
            stored = _BLANK.get(kind)
        elif isinstance(content, _TYPES.get(kind, object)):
            stored = _CONVERTERS.get(kind, _keep_content)(column, columns[column], content, exists)
        else:
            raise invalid(f"{column} is expected to be {kind}.")
        properties[column] = {"id": columns[column]["id"], "type": kind, kind: stored}
    return properties


def blank(columns: Mapping[str, Object]) -> Object:
    """Return the properties of a page without values."""
    return {
        name: {"id": column["id"], "type": column["type"], column["type"]: _BLANK.get(column["type"])}
        for name, column in columns.items()
    }


_BLANK: Mapping[str, Any] = {
    "title": [],
    "rich_text": [],
    "people": [],
    "relation": [],
    "multi_select": [],
    "files": [],
    "checkbox": False,
}


_TYPES: Mapping[str, Any] = {
    "title": list,
    "rich_text": list,
    "people": list,
    "relation": list,
    "multi_select": list,
    "files": list,
    "number": int | float,
    "checkbox": bool,
    "select": dict,
    "status": dict,
    "date": dict,
    "url": str,
    "email": str,
    "phone_number": str,
}


def _keep_content(_name: str, _column: Object, content: Any, _exists: Exists) -> Any:
    return content


def _texts(name: str, column: Object, content: list[Any], _exists: Exists) -> Any:
    return complete_texts(content, f"body.properties.{name}.{column['type']}")


def _people(_name: str, _column: Object, content: list[Any], exists: Exists) -> Any:
    return [reference(_existing_id("users", "user", each, exists)) for each in content]


def _relation(_name: str, _column: Object, content: list[Any], exists: Exists) -> Any:
    return [{"id": _existing_id("pages", "page", each, exists)} for each in content]


def _existing_id(collection: str, kind: str, item: Any, exists: Exists) -> str:
    object_id = str(item.get("id")) if isinstance(item, dict) else str(item)
    if not exists(collection, object_id):
        raise missing_object(kind, object_id)
    return object_id


def _status(name: str, column: Object, content: Object, _exists: Exists) -> Any:
    """Return one of the existing options; unlike for a select, the API does not add new ones."""
    option = _option(column, content)
    if option is None:
        requested = content.get("name") or content.get("id")
        raise invalid(f'Invalid status option. Status option "{requested}" does not exist in {name}.')
    return option


def _select(_name: str, column: Object, content: Object, _exists: Exists) -> Any:
    """Return one of the existing options, or a new one."""
    return _option(column, content) or {"id": str(content.get("name")), "name": content.get("name"), "color": "default"}


def _option(column: Object, content: Object) -> Object | None:
    for option in column[column["type"]].get("options", ()):
        if option["name"] == content.get("name") or ("id" in content and option["id"] == content["id"]):
            return {"color": "default", **option}
    return None


def _date(name: str, _column: Object, content: Object, _exists: Exists) -> Any:
    for key in ("start", "end"):
        if (key == "start" or content.get(key)) and not _is_moment(content.get(key)):
            raise invalid(
                f"body failed validation: body.properties.{name}.date.{key} should be a valid ISO 8601 date string, "
                f"instead was `{content.get(key)!r}`."
            )
    return {"start": content["start"], "end": content.get("end"), "time_zone": content.get("time_zone")}


def _is_moment(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(value) if len(value) == len("2026-03-02") else datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


_CONVERTERS: Mapping[str, Callable[[str, Object, Any, Exists], Any]] = {
    "title": _texts,
    "rich_text": _texts,
    "people": _people,
    "relation": _relation,
    "status": _status,
    "select": _select,
    "date": _date,
}

SHAPE = Shape(tuple(Collection(name, id_field="id") for name in ("users", "databases", "pages", "blocks", "comments")))
MOST_CHILDREN = 100
"""Maximum number of blocks in one request, and of results on one page."""
BLOCK_TYPES = (
    *("paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item", "numbered_list_item", "to_do"),
    *("toggle", "quote", "callout", "code", "divider", "bookmark", "embed", "image", "equation", "table_of_contents"),
)
"""Block types that can be appended."""
_WITHOUT_TEXT = ("divider", "bookmark", "embed", "image", "equation", "table_of_contents")
_HEX = re.compile(r"[0-9a-f]{32}")
_UUID = (8, 4, 4, 4, 12)


class Workspace:
    """The workspace of one attempt; each method is a request to the API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed.seed, shape=SHAPE, seeds={"empty": seed.empty}, convert=seed.convert_contexts)

    def page(self, page_id: str) -> Object:
        """Return one page."""
        key = self._key("pages", page_id, "path.page_id")
        if self.tree.find("databases", key):
            raise invalid(
                f"Provided ID {key} is a database, not a page. Use the retrieve database API instead: "
                "https://developers.notion.com/reference/retrieve-a-database"
            )
        return self._get("pages", "page", key)

    def update_page(self, page_id: str, properties: Mapping[str, Any]) -> Object:
        """Set some of a page's properties."""
        current = self.page(page_id)
        database = self.tree.find("databases", str(current["parent"].get("database_id")))
        columns: Mapping[str, Object] = (database or current)["properties"]
        changed = {**current["properties"], **property_values(columns, properties, self._exists)}
        self._change(f"pages[{current['id']}]", {"properties": changed})
        return self.page(current["id"])

    def create_item(self, database_id: str, properties: Mapping[str, Any]) -> Object:
        """Create a page in a database."""
        key = self._key("databases", database_id, "body.parent.database_id")
        database = self._get("databases", "database", key)
        values = {**blank(database["properties"]), **property_values(database["properties"], properties, self._exists)}
        parent = {"type": "database_id", "database_id": key}
        item = seed.page(self._world.ids.uuid(), parent, values, self._world.now, seed.BOT)
        self.tree.create("pages", item)
        return item

    def block(self, block_id: str) -> Object:
        """Return one block; a page is a block too."""
        key = self._key("blocks", block_id, "path.block_id")
        item = self.tree.find("blocks", key) or self.tree.find("pages", key)
        if item is None:
            raise missing_object("block", key)
        return self._as_block(item)

    def children(self, block_id: str, cursor: str | None, size: float | None) -> Object:
        """Return the blocks on a page or inside a block, in order."""
        parent = self.block(block_id)
        return self._list("block", [self._as_block(each) for each in self._children_of(parent["id"])], cursor, size)

    def append(self, block_id: str, children: Sequence[Any], after: str | None) -> Object:
        """Append blocks to a page or a block, at its end or after one of its blocks."""
        parent = self.block(block_id)
        if len(children) > MOST_CHILDREN:
            raise invalid_value("body.children.length", f"≤ `{MOST_CHILDREN}`", len(children))
        for number, child in enumerate(children):
            _check_block(child, f"body.children[{number}]")
        count = len(children)
        siblings = self._children_of(parent["id"])
        if after is None:
            last = siblings[-1]["rank"] if siblings else -1
            ranks = [last + 1 + number for number in range(count)]
        else:
            key = self._key("blocks", after, "body.after")
            index = next((number for number, each in enumerate(siblings) if each["id"] == key), None)
            if index is None:
                raise missing_object("block", key)
            low = siblings[index]["rank"]
            high = siblings[index + 1]["rank"] if index + 1 < len(siblings) else low + count + 1
            ranks = [low + (high - low) * (number + 1) / (count + 1) for number in range(count)]
        keys = [self._create_block(parent, child, rank) for child, rank in zip(children, ranks, strict=True)]
        return self._list("block", [self._as_block(self.tree.get(f"blocks[{each}]")) for each in keys], None, None)

    def update_block(self, block_id: str, changes: Mapping[str, Any]) -> Object:
        """Set the content of a block, or delete it if the change archives it."""
        block = self.block(block_id)
        if changes.get("archived") is True or changes.get("in_trash") is True:
            return self.delete_block(block_id)
        kind = block["type"]
        if kind not in changes or self.tree.find("blocks", block["id"]) is None:
            raise invalid_value(f"body.{kind}", "defined", ...)
        content = {**block[kind], **_content(kind, changes[kind], f"body.{kind}")}
        self._change(f"blocks[{block['id']}]", {kind: content})
        return self.block(block["id"])

    def delete_block(self, block_id: str) -> Object:
        """Delete a page, or a block with everything in it."""
        block = self.block(block_id)
        self._remove(block["id"])
        return {**block, "archived": True, "in_trash": True}

    def user(self, user_id: str) -> Object:
        """Return one user."""
        return self._get("users", "user", self._key("users", user_id, "path.user_id"))

    def users(self, cursor: str | None, size: float | None) -> Object:
        """Return the people and integrations of the workspace."""
        return self._list("user", list(self.tree.list("users")), cursor, size)

    def comments(self, block_id: str, cursor: str | None, size: float | None) -> Object:
        """Return the comments on a page or a block, oldest first."""
        key = self.block(block_id)["id"]
        comments_on = [each for each in self.tree.list("comments") if key in each["parent"].values()]
        return self._list("comment", comments_on, cursor, size)

    def comment(self, page_id: str | None, discussion_id: str | None, text: Sequence[Any]) -> Object:
        """Create a comment that starts a discussion on a page or continues an existing one."""
        if page_id is not None and discussion_id is not None:
            raise invalid("body failed validation: body.parent and body.discussion_id cannot both be defined.")
        if discussion_id is None:
            parent: Object = {"type": "page_id", "page_id": self.page(page_id or "")["id"]}
            discussion = self._world.ids.uuid()
        else:
            discussion = self._key("comments", discussion_id, "body.discussion_id")
            existing = next((each for each in self.tree.list("comments") if each["discussion_id"] == discussion), None)
            if existing is None:
                raise missing_object("discussion", discussion)
            parent = existing["parent"]
        comment = {
            "object": "comment",
            "id": self._world.ids.uuid(),
            "parent": parent,
            "discussion_id": discussion,
            "created_time": instant(self._world.now),
            "last_edited_time": instant(self._world.now),
            "created_by": reference(seed.BOT),
            "rich_text": complete_texts(text, "body.rich_text"),
        }
        self.tree.create("comments", comment)
        return comment

    def search(
        self, query: str, kind: str | None, *, ascending: bool, cursor: str | None, size: float | None
    ) -> Object:
        """Return the pages and databases whose title contains the query, sorted by the time of their last change."""
        everything = (*self.tree.list("pages"), *self.tree.list("databases"))
        folded = query.strip().casefold()
        matches = [each for each in everything if folded in title_of(each).casefold()]
        results = [each for each in matches if kind in (None, each["object"])]
        ordered = sorted(results, key=lambda each: str(each["last_edited_time"]), reverse=not ascending)
        return self._list("page_or_database", ordered, cursor, size)

    def _create_block(self, parent: Object, child: Mapping[str, Any], rank: float) -> str:
        kind = _kind(child)
        content = _content(kind, child[kind], kind)
        inner = content.pop("children", None) or child.get("children") or ()
        name = "page_id" if parent["type"] == "child_page" else "block_id"
        block = {
            "object": "block",
            "id": self._world.ids.uuid(),
            "parent": {"type": name, name: parent["id"]},
            **edit_stamps(self._world.now, seed.BOT),
            "archived": False,
            "type": kind,
            kind: {**({"checked": False} if kind == "to_do" else {}), **content},
            "rank": rank,
        }
        key = self.tree.create("blocks", block)
        for number, each in enumerate(inner):
            self._create_block({"type": kind, "id": key}, each, number)
        return key

    def _children_of(self, parent: str) -> list[Object]:
        children = [each for each in self.tree.list("blocks") if parent in each.get("parent", {}).values()]
        return sorted(children, key=lambda each: float(each["rank"]))

    def _remove(self, key: str) -> None:
        for child in self._children_of(key):
            self._remove(child["id"])
        self.tree.delete(f"{'blocks' if self.tree.find('blocks', key) else 'pages'}[{key}]")

    def _as_block(self, item: Object) -> Object:
        """Return a block in the API's form; a page is converted to a block."""
        inside = {"has_children": bool(self._children_of(item["id"])), "in_trash": False}
        if item["object"] == "page":
            fields = {key: item[key] for key in item if key not in ("properties", "url", "public_url", "cover", "icon")}
            return {
                **fields,
                "object": "block",
                **inside,
                "type": "child_page",
                "child_page": {"title": title_of(item)},
            }
        return {**{key: value for key, value in item.items() if key != "rank"}, **inside}

    def _change(self, path: str, fields: Object) -> None:
        edit_fields = {"last_edited_time": instant(self._world.now), "last_edited_by": reference(seed.BOT)}
        self.tree.update(path, {**fields, **edit_fields})

    def _list(self, kind: str, items: list[Object], cursor: str | None, size: float | None) -> Object:
        if size is not None and not 1 <= size <= MOST_CHILDREN:
            raise invalid_value("query.page_size", f"≤ `{MOST_CHILDREN}`" if size > 1 else "≥ `1`", int(size))
        problem = invalid_value("query.start_cursor", "a cursor that the API has returned", cursor)
        results, next_cursor = page(items, int(size or MOST_CHILDREN), cursor, str(problem))
        facts: Object = {"next_cursor": next_cursor, "has_more": next_cursor is not None, "type": kind, kind: {}}
        return {"object": "list", "results": results, **facts}

    def _get(self, collection: str, kind: str, key: str) -> Object:
        item: Object | None = self.tree.find(collection, key)
        if item is None:
            raise missing_object(kind, key)
        return item

    def _exists(self, collection: str, key: str) -> bool:
        return self.tree.find(collection, key) is not None

    def _key(self, collection: str, object_id: str, place: str) -> str:
        """Return an id in the form of the tree: lower case, with hyphens."""
        if self._exists(collection, object_id) or self._exists("pages", object_id):
            return object_id
        plain = object_id.replace("-", "").lower()
        if not _HEX.fullmatch(plain):
            raise invalid_value(place, "a valid uuid", object_id)
        uuid_groups: list[str] = []
        start = 0
        for length in _UUID:
            uuid_groups.append(plain[start : start + length])
            start += length
        return "-".join(uuid_groups)


def _kind(block: Mapping[str, Any]) -> str:
    """Return a block's type, which may be omitted if it follows from the content."""
    return str(block.get("type") or next((name for name in BLOCK_TYPES if name in block), ""))


def _check_block(block: Any, place: str) -> None:
    if not isinstance(block, dict):
        raise invalid_value(place, "an object", block)
    kind = _kind(block)
    if kind not in BLOCK_TYPES:
        raise invalid_value(f"{place}.type", "a type that can be appended", block.get("type", ...))
    if kind not in block:
        raise invalid_value(f"{place}.{kind}", "defined", ...)
    content = _content(kind, block[kind], f"{place}.{kind}")
    children = content.get("children") or block.get("children") or []
    if not isinstance(children, list):
        raise invalid_value(f"{place}.{kind}.children", "an array", children)
    for number, child in enumerate(children):
        _check_block(child, f"{place}.{kind}.children[{number}]")


def _content(kind: str, content: Any, place: str) -> Object:
    """Return the content of a block with completed texts."""
    if not isinstance(content, dict):
        raise invalid_value(place, "an object", content)
    if kind in _WITHOUT_TEXT or ("rich_text" not in content and "checked" in content):
        return dict(content)
    return {**content, "rich_text": complete_texts(content.get("rich_text", ...), f"{place}.rich_text")}


# Validation of the rich text in a request, and its completion to what the API returns.

_KINDS = ("text", "mention", "equation")


def complete_texts(pieces: Any, place: str) -> list[Object]:
    """Return the completed pieces of a text; ``place`` is its position in the request, for error messages."""
    if not isinstance(pieces, list | tuple):
        raise invalid_value(place, "defined" if pieces is ... else "an array", pieces)
    for number, piece in enumerate(pieces):
        _check(piece, f"{place}[{number}]")
    return [complete_text(piece) for piece in pieces]


def _check(piece: Any, place: str) -> None:
    if not isinstance(piece, dict):
        raise invalid_value(place, "an object", piece)
    for name in (*_KINDS, "annotations"):
        if name in piece and not isinstance(piece[name], dict):
            raise invalid_value(f"{place}.{name}", "an object", piece[name])
    kind = piece.get("type", next((name for name in _KINDS if name in piece), "text"))
    if kind not in _KINDS:
        raise invalid_value(f"{place}.type", "`text`, `mention` or `equation`", kind)
    if kind != "text" and kind not in piece:
        raise invalid_value(f"{place}.{kind}", "defined", ...)
    content = piece.get("text", {}).get("content", ...)
    if kind == "text" and not isinstance(content, str):
        raise invalid_value(f"{place}.text.content", "defined" if content is ... else "a string", content)
