"""Objects in the form of Notion's API, version 2022-06-28."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Object = dict[str, Any]

_PLAIN = {"bold": False, "italic": False, "strikethrough": False, "underline": False, "code": False, "color": "default"}


def instant(moment: datetime) -> str:
    """Return a moment in the API's notation."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:00.000Z")


def rich_text(text: str) -> list[Object]:
    """Return a text as rich text without any style."""
    return [complete_text({"type": "text", "text": {"content": text}})]


def complete_text(item: Mapping[str, Any]) -> Object:
    """Return a piece of rich text with all fields that the API returns, from the fields that a client sends."""
    kind = item.get("type") or next((name for name in ("text", "mention", "equation") if name in item), "text")
    content = dict(item.get(kind) or {})
    if kind == "text":
        content = {"content": content.get("content", ""), "link": content.get("link")}
    link = content.get("link") if kind == "text" else None
    return {
        "type": kind,
        kind: content,
        "annotations": {**_PLAIN, **(item.get("annotations") or {})},
        "plain_text": content.get("content") or content.get("expression") or item.get("plain_text", ""),
        "href": link.get("url") if isinstance(link, dict) else item.get("href"),
    }


def plain_text(pieces: list[Object]) -> str:
    """Return the text without styles."""
    return "".join(each.get("plain_text", "") for each in pieces)


def title_of(item: Mapping[str, Any]) -> str:
    """Return the title of a page or a database."""
    if item["object"] == "database":
        return plain_text(item["title"])
    titles = (each["title"] for each in item["properties"].values() if each["type"] == "title")
    return plain_text(next(titles, []))


def reference(user_id: str) -> Object:
    """Return a reference to a user, as other objects hold it."""
    return {"object": "user", "id": user_id}


def edit_stamps(moment: datetime, user_id: str) -> Object:
    """Return the fields for who created and last edited an object and when."""
    return {
        "created_time": instant(moment),
        "last_edited_time": instant(moment),
        "created_by": reference(user_id),
        "last_edited_by": reference(user_id),
    }


def url(object_id: str) -> str:
    """Return the address of a page or a database."""
    return f"https://www.notion.so/{object_id.replace('-', '')}"
