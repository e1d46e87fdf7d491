"""Instagram over a context tree, with the rules of the Graph API for a creator's own account.

The tree is the account: ``{id, username, …, media: {id: {…, comments: {id: {…, replies: {id}}}}}, conversations: {id:
{participants, messages: {id}}}}``, posts and messages with the newest first. What the API counts is not stored. A tree
may have a list ``scopes`` of permissions.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from string import ascii_letters, digits
from typing import Any

from pytest_mcpbench.core.context import Collection, Match, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure, page
from pytest_mcpbench.simulated.instagram.seed import empty, instant, new_id, opaque_id, seed

SHAPE = Shape(
    (
        Collection("media", id_field="id"),
        Collection("media[*].comments", id_field="id"),
        Collection("media[*].comments[*].replies", id_field="id"),
        Collection("conversations", id_field="id"),
        Collection("conversations[*].messages", id_field="id"),
    )
)
WINDOW = timedelta(hours=24)
"""How long after a person's last message the account may write to that person."""
LONGEST_MESSAGE = 1000
"""In bytes."""
_NO_OBJECT = (
    "Unsupported {method} request. Object with ID '{id}' does not exist, cannot be loaded due to missing permissions, "
    "or does not support this operation. Please read the Graph API documentation at "
    "https://developers.facebook.com/docs/graph-api"
)


class Instagram:
    """The account in one attempt; each method is a request to the Graph API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty})

    def user(self, user_id: str | None) -> dict[str, Any]:
        """The account's profile; the API shows no other."""
        self._check_own(user_id)
        fields = {key: value for key, value in self.tree.to_json().items() if not isinstance(value, dict | list)}
        return {**fields, "media_count": len(self.tree.get("media"))}

    def media(self, user_id: str | None, limit: int, after: str | None) -> dict[str, Any]:
        """A page of the account's posts."""
        self._check_own(user_id)
        return self._page(map(_post, self.tree.list("media")), limit, after)

    def comments(self, media_id: str, limit: int, after: str | None) -> dict[str, Any]:
        """A page of the comments on a post."""
        found = self.tree.find("media", media_id)
        if found is None:
            raise self._no_object(media_id)
        return self._page(map(_with_replies, found["comments"].values()), limit, after)

    def reply(self, comment_id: str, message: str) -> str:
        """Answer a comment and return the new one's id; an answer to an answer goes under the same comment."""
        comment = self._comment(comment_id)
        if comment is None:
            raise self._no_object(comment_id, "post")
        if not message.strip():
            raise self._failure(400, "(#100) The parameter message is required.", 100)
        reply = {
            "id": new_id(self._world.ids),
            "text": message,
            "username": self.tree.get("username"),
            "from": self._me(),
            "timestamp": self._now(),
            "like_count": 0,
            "hidden": False,
        }
        return self.tree.create(f"{comment.path}.replies", reply)

    def conversations(self, user_id: str | None, limit: int, after: str | None) -> dict[str, Any]:
        """A page of the conversations, that with the newest message first."""
        self._check_own(user_id)
        newest_first = sorted(map(_summary, self.tree.list("conversations")), key=_updated, reverse=True)
        return self._page(newest_first, limit, after)

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation with its messages."""
        found = self._conversation(conversation_id)
        messages = [_message(each) for each in found["messages"].values()]
        return {**_summary(found), "messages": {"data": sorted(messages, key=_created, reverse=True)}}

    def messages(self, conversation_id: str, limit: int, after: str | None) -> dict[str, Any]:
        """A page of a conversation's messages, the newest first."""
        found = map(_message, self._conversation(conversation_id)["messages"].values())
        return self._page(sorted(found, key=_created, reverse=True), limit, after)

    def send(self, recipient_id: str, text: str, user_id: str | None, answered: str | None) -> dict[str, str]:
        """Write to a person who has written within the last day."""
        self._check_own(user_id, "post")
        conversation = self._with(recipient_id)
        self._check_text(text)
        if answered is not None and answered not in conversation["messages"]:
            raise self._failure(400, "(#100) Param reply_to[mid] is not a valid message ID.", 100)
        self._check_window(conversation, recipient_id)
        receiver = next(each for each in conversation["participants"] if each["id"] == recipient_id)
        message: dict[str, Any] = {
            "id": opaque_id(self._world.ids),
            "created_time": self._now(),
            "from": self._me(),
            "to": [receiver],
            "message": text,
            **({"reply_to": {"mid": answered}} if answered else {}),
        }
        self.tree.create(f"conversations[{conversation['id']}].messages", message)
        return {"recipient_id": recipient_id, "message_id": str(message["id"])}

    def _check_text(self, text: str) -> None:
        if not text:
            raise self._failure(400, "(#100) Param message[text] must be a non-empty UTF-8 encoded string", 100)
        if len(text.encode()) > LONGEST_MESSAGE:
            message = f"(#100) Length of param message[text] must be less than or equal to {LONGEST_MESSAGE}"
            raise self._failure(400, message, 100)

    def _check_window(self, conversation: Mapping[str, Any], recipient_id: str) -> None:
        received = [each for each in conversation["messages"].values() if each["from"]["id"] == recipient_id]
        last = max((datetime.fromisoformat(each["created_time"]) for each in received), default=None)
        if last is None or self._world.now - last > WINDOW:
            raise self._failure(403, "This message is sent outside of allowed window.", 10, 2534022)

    def _with(self, recipient_id: str) -> dict[str, Any]:
        """The conversation with a person."""
        for each in self.tree.list("conversations"):
            if recipient_id in {person["id"] for person in each["participants"]} - {self.tree.get("id")}:
                return dict(each)
        raise self._failure(400, "The requested user cannot be found.", 100, 2534014)

    def _conversation(self, conversation_id: str) -> dict[str, Any]:
        found: dict[str, Any] | None = self.tree.find("conversations", conversation_id)
        if found is None:
            raise self._no_object(conversation_id)
        return found

    def _comment(self, comment_id: str) -> Match | None:
        """The comment with the id, or the one under which an answer with the id stands."""
        every = self.tree.matches("media[*].comments[*]")
        return next(
            (each for each in every if each.keys[-1] == comment_id or comment_id in each.value.get("replies", {})), None
        )

    def _check_own(self, user_id: str | None, method: str = "get") -> None:
        if user_id not in (None, "me", self.tree.get("id")):
            raise self._no_object(str(user_id), method)

    def _page(self, items: Iterable[dict[str, Any]], limit: int, after: str | None) -> dict[str, Any]:
        try:
            shown, cursor = page(list(items), limit, after, "(#100) Invalid parameter")
        except ToolFailure as failure:
            raise self._failure(400, str(failure), 100) from failure
        return {"data": shown, "paging": {"cursors": {"after": cursor}}} if cursor else {"data": shown}

    def _me(self) -> dict[str, str]:
        return {"id": self.tree.get("id"), "username": self.tree.get("username")}

    def _now(self) -> str:
        return instant(self._world.now.astimezone(UTC))

    def _no_object(self, object_id: str, method: str = "get") -> ToolFailure:
        return self._failure(400, _NO_OBJECT.format(id=object_id, method=method), 100, 33)

    def _failure(self, status: int, message: str, code: int, subcode: int | None = None) -> ToolFailure:
        """An error of the Graph API; its trace id is made like other ids, so that attempts repeat it."""
        trace = "A" + self._world.ids.text(22, ascii_letters + digits)
        details = {"code": code, **({"error_subcode": subcode} if subcode else {}), "fbtrace_id": trace}
        error = {"message": message, "type": "IGApiException", **details}
        return ToolFailure("Instagram API request failed", status=status, response={"error": error})


def _post(media: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in media.items() if key != "comments"}
    return {**own, "comments_count": len(media["comments"])}


def _with_replies(comment: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in comment.items() if key != "replies"}
    replies = list(comment.get("replies", {}).values())
    return {**own, "replies": {"data": replies}} if replies else own


def _summary(conversation: Mapping[str, Any]) -> dict[str, Any]:
    """A conversation without its messages."""
    times = [_created(each) for each in conversation["messages"].values()]
    people = {"data": conversation["participants"]}
    return {"id": conversation["id"], "updated_time": max(times, default=""), "participants": people}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "to": {"data": message["to"]}}


def _created(message: Mapping[str, Any]) -> str:
    return str(message["created_time"])


def _updated(conversation: Mapping[str, Any]) -> str:
    return str(conversation["updated_time"])
