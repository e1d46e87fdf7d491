"""A WeCom group over a context tree, as its robot writes to it.

The tree is ``{chat_id, name, webhook: {key, name, enabled}, members: {userid: member}, messages: {id: message}, media:
{id: file}}``; a file with a ``path`` can be uploaded again from there. Error messages are WeCom's code and text.
"""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure, file_inside
from pytest_mcpbench.simulated.wecom.contexts import convert_contexts
from pytest_mcpbench.simulated.wecom.seed import empty, seed

SHAPE = Shape(
    (
        Collection("members", id_field="userid"),
        Collection("messages", id_field="message_id"),
        Collection("media", id_field="media_id"),
    )
)
LONGEST_TEXT = 2048
LONGEST_MARKDOWN = 4096
_SMALLEST_FILE, _LARGEST_FILE = 5, 20 * 2**20

_NO_WEBHOOK = "93000 invalid webhook url"
_TOO_LONG = "40058 {kind}.content exceed max length {limit}. invalid Request Parameter"
_EMPTY = "44004 empty content"
_NO_URL = "40058 url should be a link. invalid Request Parameter"
_FILE_SIZE = "40006 invalid media size"
_NO_FILE = "41005 media data missing: {path}"


class WeCom:
    """The group of one attempt; each method is a request of its robot."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty}, convert=convert_contexts)
        self._messages = Entities(self.tree, "messages", _EMPTY)
        self._media = Entities(self.tree, "media", _EMPTY)

    def send(self, kind: str, body: Mapping[str, Any], limit: int) -> None:
        """Send a text or Markdown; ``limit`` is the maximum length of the content in bytes."""
        content = str(body["content"])
        if not content.strip():
            raise ToolFailure(_EMPTY)
        if len(content.encode()) > limit:
            raise ToolFailure(_TOO_LONG.format(kind=kind, limit=limit))
        self._add_message(kind, body)

    def send_article(self, article: Mapping[str, Any]) -> None:
        """Send a card with a link to a page."""
        if not str(article["title"]).strip():
            raise ToolFailure(_EMPTY)
        if not str(article["url"]).startswith(("http://", "https://")):
            raise ToolFailure(_NO_URL)
        self._add_message("news", {"articles": [dict(article)]})

    def upload(self, path: str) -> dict[str, Any]:
        """Store a file of the attempt's directory and send it to the group."""
        file = self._find_file(path)
        self._check_webhook()
        media_id = "3" + self._world.ids.hex(63)
        stored = {"media_id": media_id, **file, "created_at": self._now()}
        self._media.create(stored)
        self._add_message("file", {"media_id": media_id})
        return {"type": "file", "media_id": media_id, "created_at": str(stored["created_at"])}

    def _find_file(self, path: str) -> dict[str, Any]:
        """Return name and size of a file of the attempt, or of one that the group's tree says to exist at the path."""
        for each in self._media.all():
            if str(each.get("path", "")).casefold() == path.casefold():
                return {name: each[name] for name in ("filename", "size") if name in each}
        source = file_inside(self._world, path)
        if source is None:
            raise ToolFailure(_NO_FILE.format(path=path))
        size = source.stat().st_size
        if not _SMALLEST_FILE < size <= _LARGEST_FILE:
            raise ToolFailure(_FILE_SIZE)
        return {"filename": source.name, "size": size}

    def _add_message(self, kind: str, body: Mapping[str, Any]) -> None:
        self._check_webhook()
        identity = {"message_id": self._world.ids.hex(32), "from": "robot"}
        self._messages.create({**identity, "msgtype": kind, kind: dict(body), "create_time": self._now()})

    def _check_webhook(self) -> None:
        if self.tree.has("webhook.enabled") and not self.tree.get("webhook.enabled"):
            raise ToolFailure(_NO_WEBHOOK)

    def _now(self) -> int:
        return int(self._world.now.timestamp())
