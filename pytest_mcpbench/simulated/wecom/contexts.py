"""Conversion of MCP-Persona's WeCom contexts, which hold the last message of each kind, to a group."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts

_ARTICLE = ("title", "url", "description", "picurl")


def convert_contexts(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the group of the first context; a tree in the server's own form is returned unchanged."""
    groups = find_accounts(tree, ("markdown", "text"))
    if not groups:
        return tree
    (group, *_) = groups
    chat_id = str(group.get("id", "group"))
    messages = [{"message_id": f"{chat_id}-{each['msgtype']}", "from": "robot", **each} for each in _messages(group)]
    return {
        "chat_id": chat_id,
        "name": "",
        "webhook": {"key": "", "name": "", "enabled": True},
        "members": {},
        "messages": {each["message_id"]: each for each in messages},
        "media": _media(group),
    }


def _messages(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in ("text", "markdown"):
        yield {"msgtype": kind, kind: {"content": group[kind]}}
    if group.get("news.title"):
        article = {name: group.get(f"news.{name}", "") for name in _ARTICLE}
        yield {"msgtype": "news", "news": {"articles": [article]}}


def _media(group: Mapping[str, Any]) -> dict[str, Any]:
    media_id, path = group.get("file.media_id"), str(group.get("file.filepath", ""))
    if not media_id:
        return {}
    return {media_id: {"media_id": media_id, "filename": path.rpartition("/")[2], "path": path}}
