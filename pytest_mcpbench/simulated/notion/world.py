"""A Notion workspace over a context tree, as an integration sees it through the API.

The tree is ``{users, databases, pages, blocks, comments}``, each by id, in the shapes of the API; parents are named by
id. A block's ``rank`` says where it stands among its siblings. A tree may have a list ``scopes`` of the integration's
capabilities. Contexts of MCP-Persona (a ``user``, a ``page``, ``blocks`` and ``comments`` each) are taken over.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import page
from pytest_mcpbench.simulated.notion import seed
from pytest_mcpbench.simulated.notion.failures import invalid, malformed, not_found
from pytest_mcpbench.simulated.notion.objects import Object, instant, reference, stamped, title_of
from pytest_mcpbench.simulated.notion.properties import blank, written
from pytest_mcpbench.simulated.notion.texts import completed

SHAPE = Shape(tuple(Collection(name, id_field="id") for name in ("users", "databases", "pages", "blocks", "comments")))
MOST_CHILDREN = 100
"""Blocks in one request, and results on one page."""
BLOCK_TYPES = (
    *("paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item", "numbered_list_item", "to_do"),
    *("toggle", "quote", "callout", "code", "divider", "bookmark", "embed", "image", "equation", "table_of_contents"),
)
"""Types that can be appended."""
_WITHOUT_TEXT = ("divider", "bookmark", "embed", "image", "equation", "table_of_contents")
_HEX = re.compile(r"[0-9a-f]{32}")
_UUID = (8, 4, 4, 4, 12)


class Workspace:
    """The workspace in one attempt; each method is a request to the API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed.seed, shape=SHAPE, seeds={"empty": seed.empty}, adapted=seed.adapted)

    def page(self, page_id: str) -> Object:
        """One page."""
        key = self._key("pages", page_id, "path.page_id")
        if self.tree.find("databases", key):
            raise invalid(
                f"Provided ID {key} is a database, not a page. Use the retrieve database API instead: "
                "https://developers.notion.com/reference/retrieve-a-database"
            )
        return self._found("pages", "page", key)

    def update_page(self, page_id: str, properties: Mapping[str, Any]) -> Object:
        """Set some of a page's properties."""
        found = self.page(page_id)
        columns = self._columns(found)
        changed = {**found["properties"], **written(columns, properties, self._exists)}
        self._change(f"pages[{found['id']}]", {"properties": changed})
        return self.page(found["id"])

    def create_item(self, database_id: str, properties: Mapping[str, Any]) -> Object:
        """A new page in a database."""
        key = self._key("databases", database_id, "body.parent.database_id")
        database = self._found("databases", "database", key)
        values = {**blank(database["properties"]), **written(database["properties"], properties, self._exists)}
        parent = {"type": "database_id", "database_id": key}
        made = seed.page(self._world.ids.uuid(), parent, values, self._world.now, seed.BOT)
        self.tree.create("pages", made)
        return made

    def block(self, block_id: str) -> Object:
        """One block; a page is a block too."""
        key = self._key("blocks", block_id, "path.block_id")
        found = self.tree.find("blocks", key) or self.tree.find("pages", key)
        if found is None:
            raise not_found("block", key)
        return self._shown(found)

    def children(self, block_id: str, cursor: str | None, size: float | None) -> Object:
        """The blocks on a page, or inside a block, in order."""
        parent = self.block(block_id)
        return self._list("block", [self._shown(each) for each in self._below(parent["id"])], cursor, size)

    def append(self, block_id: str, children: Sequence[Any], after: str | None) -> Object:
        """Put blocks on a page or into a block: at its end, or behind one of those that are there."""
        parent = self.block(block_id)
        if len(children) > MOST_CHILDREN:
            raise malformed("body.children.length", f"≤ `{MOST_CHILDREN}`", len(children))
        for number, child in enumerate(children):
            _check_block(child, f"body.children[{number}]")
        ranks = self._ranks(parent["id"], len(children), after)
        made = [self._create_block(parent, child, rank) for child, rank in zip(children, ranks, strict=True)]
        return self._list("block", [self._shown(self.tree.get(f"blocks[{each}]")) for each in made], None, None)

    def update_block(self, block_id: str, changes: Mapping[str, Any]) -> Object:
        """Set the content of a block, or put it into the bin."""
        block = self.block(block_id)
        if changes.get("archived") is True or changes.get("in_trash") is True:
            return self.delete_block(block_id)
        kind = block["type"]
        if kind not in changes or self.tree.find("blocks", block["id"]) is None:
            raise malformed(f"body.{kind}", "defined", ...)
        content = {**block[kind], **_content(kind, changes[kind], f"body.{kind}")}
        self._change(f"blocks[{block['id']}]", {kind: content})
        return self.block(block["id"])

    def delete_block(self, block_id: str) -> Object:
        """Take a block with all that is in it, or a page, out of the workspace."""
        block = self.block(block_id)
        self._remove(block["id"])
        return {**block, "archived": True, "in_trash": True}

    def user(self, user_id: str) -> Object:
        """One user."""
        return self._found("users", "user", self._key("users", user_id, "path.user_id"))

    def users(self, cursor: str | None, size: float | None) -> Object:
        """The people and integrations of the workspace."""
        return self._list("user", list(self.tree.list("users")), cursor, size)

    def comments(self, block_id: str, cursor: str | None, size: float | None) -> Object:
        """The comments on a page or a block, the oldest first."""
        key = self.block(block_id)["id"]
        found = [each for each in self.tree.list("comments") if key in each["parent"].values()]
        return self._list("comment", found, cursor, size)

    def comment(self, page_id: str | None, discussion_id: str | None, text: Sequence[Any]) -> Object:
        """A comment that begins a discussion on a page, or one that continues a discussion."""
        if page_id is not None and discussion_id is not None:
            raise invalid("body failed validation: body.parent and body.discussion_id cannot both be defined.")
        parent, discussion = self._discussion(page_id, discussion_id)
        comment = {
            "object": "comment",
            "id": self._world.ids.uuid(),
            "parent": parent,
            "discussion_id": discussion,
            "created_time": instant(self._world.now),
            "last_edited_time": instant(self._world.now),
            "created_by": reference(seed.BOT),
            "rich_text": completed(text, "body.rich_text"),
        }
        self.tree.create("comments", comment)
        return comment

    def search(
        self, query: str, kind: str | None, *, ascending: bool, cursor: str | None, size: float | None
    ) -> Object:
        """Pages and databases with a title in which the query stands, by the time of their last change."""
        everything = (*self.tree.list("pages"), *self.tree.list("databases"))
        wanted = query.strip().casefold()
        found = [each for each in everything if wanted in title_of(each).casefold()]
        kept = [each for each in found if kind in (None, each["object"])]
        ordered = sorted(kept, key=lambda each: str(each["last_edited_time"]), reverse=not ascending)
        return self._list("page_or_database", ordered, cursor, size)

    def _discussion(self, page_id: str | None, discussion_id: str | None) -> tuple[Object, str]:
        if discussion_id is None:
            page_key = self.page(page_id or "")["id"]
            return {"type": "page_id", "page_id": page_key}, self._world.ids.uuid()
        key = self._key("comments", discussion_id, "body.discussion_id")
        known = next((each for each in self.tree.list("comments") if each["discussion_id"] == key), None)
        if known is None:
            raise not_found("discussion", key)
        return known["parent"], key

    def _columns(self, found: Object) -> Mapping[str, Object]:
        """The columns of a page: those of its database, else the properties that it has."""
        database = self.tree.find("databases", str(found["parent"].get("database_id")))
        columns: Mapping[str, Object] = (database or found)["properties"]
        return columns

    def _create_block(self, parent: Object, child: Mapping[str, Any], rank: float) -> str:
        kind = _kind(child)
        content = _content(kind, child[kind], kind)
        inner = content.pop("children", None) or child.get("children") or ()
        name = "page_id" if parent["type"] == "child_page" else "block_id"
        block = {
            "object": "block",
            "id": self._world.ids.uuid(),
            "parent": {"type": name, name: parent["id"]},
            **stamped(self._world.now, seed.BOT),
            "archived": False,
            "type": kind,
            kind: {**({"checked": False} if kind == "to_do" else {}), **content},
            "rank": rank,
        }
        key = self.tree.create("blocks", block)
        for number, each in enumerate(inner):
            self._create_block({"type": kind, "id": key}, each, number)
        return key

    def _ranks(self, parent: str, count: int, after: str | None) -> list[float]:
        """Where new blocks stand: behind all, or between the one they follow and the next."""
        siblings = self._below(parent)
        if after is None:
            last = siblings[-1]["rank"] if siblings else -1
            return [last + 1 + number for number in range(count)]
        key = self._key("blocks", after, "body.after")
        at = next((number for number, each in enumerate(siblings) if each["id"] == key), None)
        if at is None:
            raise not_found("block", key)
        low = siblings[at]["rank"]
        high = siblings[at + 1]["rank"] if at + 1 < len(siblings) else low + count + 1
        return [low + (high - low) * (number + 1) / (count + 1) for number in range(count)]

    def _below(self, parent: str) -> list[Object]:
        found = [each for each in self.tree.list("blocks") if parent in each.get("parent", {}).values()]
        return sorted(found, key=lambda each: float(each["rank"]))

    def _remove(self, key: str) -> None:
        for child in self._below(key):
            self._remove(child["id"])
        self.tree.delete(f"{'blocks' if self.tree.find('blocks', key) else 'pages'}[{key}]")

    def _shown(self, found: Object) -> Object:
        """A block, or a page as a block."""
        inside = {"has_children": bool(self._below(found["id"])), "in_trash": False}
        if found["object"] == "page":
            own = {key: found[key] for key in found if key not in ("properties", "url", "public_url", "cover", "icon")}
            return {**own, "object": "block", **inside, "type": "child_page", "child_page": {"title": title_of(found)}}
        return {**{key: value for key, value in found.items() if key != "rank"}, **inside}

    def _change(self, path: str, fields: Object) -> None:
        edited = {"last_edited_time": instant(self._world.now), "last_edited_by": reference(seed.BOT)}
        self.tree.update(path, {**fields, **edited})

    def _list(self, kind: str, items: list[Object], cursor: str | None, size: float | None) -> Object:
        if size is not None and not 1 <= size <= MOST_CHILDREN:
            raise malformed("query.page_size", f"≤ `{MOST_CHILDREN}`" if size > 1 else "≥ `1`", int(size))
        wrong = malformed("query.start_cursor", "a cursor that the API has returned", cursor)
        shown, following = page(items, int(size or MOST_CHILDREN), cursor, str(wrong))
        facts: Object = {"next_cursor": following, "has_more": following is not None, "type": kind, kind: {}}
        return {"object": "list", "results": shown, **facts}

    def _found(self, collection: str, kind: str, key: str) -> Object:
        found: Object | None = self.tree.find(collection, key)
        if found is None:
            raise not_found(kind, key)
        return found

    def _exists(self, collection: str, key: str) -> bool:
        return self.tree.find(collection, key) is not None

    def _key(self, collection: str, given: str, place: str) -> str:
        """An id in the form that the tree has: with hyphens, in small letters."""
        if self._exists(collection, given) or self._exists("pages", given):
            return given
        plain = given.replace("-", "").lower()
        if not _HEX.fullmatch(plain):
            raise malformed(place, "a valid uuid", given)
        return "-".join(_cut(plain))


def _cut(plain: str) -> Iterator[str]:
    start = 0
    for length in _UUID:
        yield plain[start : start + length]
        start += length


def _kind(block: Mapping[str, Any]) -> str:
    """A block's type, which may be left out where the content says it."""
    return str(block.get("type") or next((name for name in BLOCK_TYPES if name in block), ""))


def _check_block(block: Any, place: str) -> None:
    if not isinstance(block, dict):
        raise malformed(place, "an object", block)
    kind = _kind(block)
    if kind not in BLOCK_TYPES:
        raise malformed(f"{place}.type", "a type that can be appended", block.get("type", ...))
    if kind not in block:
        raise malformed(f"{place}.{kind}", "defined", ...)
    content = _content(kind, block[kind], f"{place}.{kind}")
    children = content.get("children") or block.get("children") or []
    if not isinstance(children, list):
        raise malformed(f"{place}.{kind}.children", "an array", children)
    for number, child in enumerate(children):
        _check_block(child, f"{place}.{kind}.children[{number}]")


def _content(kind: str, content: Any, place: str) -> Object:
    """The content of a block, its texts completed."""
    if not isinstance(content, dict):
        raise malformed(place, "an object", content)
    if kind in _WITHOUT_TEXT or ("rich_text" not in content and "checked" in content):
        return dict(content)
    return {**content, "rich_text": completed(content.get("rich_text", ...), f"{place}.rich_text")}
