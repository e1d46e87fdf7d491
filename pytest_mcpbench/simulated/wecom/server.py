"""The WeCom server: four tools of MCP-Persona's ``wecome``, which write to a group through its robot.

Responses are the body of WeCom's own API, ``{errcode, errmsg}``. As in the real API, mentioning somebody outside the
group is not an error. Only files in the attempt's directory can be uploaded.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Entities, Simulation, ToolFailure, file_inside
from pytest_mcpbench.simulated.engine.public_contexts import find_accounts
from pytest_mcpbench.simulated.wecom.seed import empty, seed

# Conversion of MCP-Persona's WeCom contexts, which hold the last message of each kind, to a group.

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


# A WeCom group over a context tree, as its robot writes to it.
#
# The tree is ``{chat_id, name, webhook: {key, name, enabled}, members: {userid: member}, messages: {id: message},
# media: {id: file}}``; a file with a ``path`` can be uploaded again from there. Error messages are WeCom's code and
# text.

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


# The tools.

Body = dict[str, Any]


def send_markdown(
    wecom: WeCom, content: Annotated[str, Field(description="Markdown, 4096 bytes at most; <@userid> mentions")]
) -> Body:
    """Send Markdown to the group."""
    wecom.send("markdown", {"content": content}, LONGEST_MARKDOWN)
    return {}


def send_news(
    wecom: WeCom,
    title: Annotated[str, Field(description="Headline")],
    url: Annotated[str, Field(description="Page to which it leads")],
    description: Annotated[str | None, Field(description="Some words about it")] = None,
    picurl: Annotated[str | None, Field(description="Address of a picture")] = None,
) -> Body:
    """Send a card with a headline, a picture and a link to the group."""
    more = {"description": description, "picurl": picurl}
    wecom.send_article({"title": title, "url": url, **{name: value for name, value in more.items() if value}})
    return {}


def send_text(
    wecom: WeCom,
    content: Annotated[str, Field(description="Text, 2048 bytes at most")],
    mentioned_list: Annotated[list[str] | None, Field(description="User ids to mention; @all for everybody")] = None,
    mentioned_mobile_list: Annotated[list[str] | None, Field(description="Mobile numbers to mention")] = None,
) -> Body:
    """Send a text to the group, and mention some of its members."""
    mentions = {"mentioned_list": mentioned_list, "mentioned_mobile_list": mentioned_mobile_list}
    present = {name: value for name, value in mentions.items() if value}
    wecom.send("text", {"content": content, **present}, LONGEST_TEXT)
    return {}


def upload_file(wecom: WeCom, file_path: Annotated[str, Field(description="Path of the file")]) -> Body:
    """Upload a file and send it to the group."""
    return wecom.upload(file_path)


def _answer(body: Body) -> Body:
    return {"errcode": 0, "errmsg": "ok", **body}


def _failure(failure: ToolFailure) -> str:
    code, _, message = str(failure).partition(" ")
    facts = (int(code), message) if code.isdecimal() else (_SYSTEM_ERROR, str(failure))
    return json.dumps(dict(zip(("errcode", "errmsg"), facts, strict=True)), ensure_ascii=False)


_SYSTEM_ERROR = -1

SIMULATION = Simulation(
    name="wecom",
    state=WeCom,
    tools=(send_markdown, send_news, send_text, upload_file),
    dialect=TYPESCRIPT,
    answer=_answer,
    failure=_failure,
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
