"""Instagram over a context tree, with the Graph API's rules for a creator's own account.

The tree is the account: ``{id, username, …, media: {id: {…, comments: {id: {…, replies: {id}}}}}, conversations: {id:
{participants, messages: {id}}}}``, with posts and messages newest first. Counts that the API reports are computed
rather than stored. A tree may contain a list ``scopes`` of permissions, and ``has_reply_window: false``.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from string import ascii_letters, digits
from typing import Any

from pytest_mcpbench.core.context import Collection, Match, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure, page
from pytest_mcpbench.simulated.instagram.contexts import convert_contexts
from pytest_mcpbench.simulated.instagram.seed import empty, graph_time, new_id, opaque_id, seed

SHAPE = Shape(
    (
        Collection("media", id_field="id"),
        Collection("media[*].comments", id_field="id"),
        Collection("media[*].comments[*].replies", id_field="id"),
        Collection("conversations", id_field="id"),
        Collection("conversations[*].messages", id_field="id"),
    )
)
REPLY_WINDOW = timedelta(hours=24)
"""Period after a person's last message during which the account may write to that person."""
MAX_MESSAGE_BYTES = 1000
"""Maximum length of a message in bytes."""
_UNKNOWN_OBJECT = (
    "Unsupported {method} request. Object with ID '{id}' does not exist, cannot be loaded due to missing permissions, "
    "or does not support this operation. Please read the Graph API documentation at "
    "https://developers.facebook.com/docs/graph-api"
)


class Instagram:
    """The account of one attempt; each method is a request to the Graph API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty}, convert=convert_contexts)

    def user(self, user_id: str | None) -> dict[str, Any]:
        """Return the account's profile; the API does not expose other profiles."""
        self._require_own_account(user_id)
        fields = {
            key: value
            for key, value in self.tree.to_json().items()
            if not isinstance(value, dict | list) and key != "has_reply_window"
        }
        return {**fields, "media_count": len(self.tree.get("media"))}

    def media(self, user_id: str | None, limit: int, after: str | None) -> dict[str, Any]:
        """Return a page of the account's posts."""
        self._require_own_account(user_id)
        return self._page(map(_post_summary, self.tree.list("media")), limit, after)

    def comments(self, media_id: str, limit: int, after: str | None) -> dict[str, Any]:
        """Return a page of the comments on a post."""
        post = self.tree.find("media", media_id)
        if post is None:
            raise self._unknown_object(media_id)
        return self._page(map(_with_replies, post["comments"].values()), limit, after)

    def reply(self, comment_id: str, message: str) -> str:
        """Reply to a comment and return the new comment's id; a reply to a reply is added to the same top-level
        comment.
        """
        comment = self._comment(comment_id)
        if comment is None:
            raise self._unknown_object(comment_id, "post")
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
        """Return a page of the conversations, starting with the one that has the newest message."""
        self._require_own_account(user_id)
        newest_first = sorted(
            map(_conversation_summary, self.tree.list("conversations")), key=_update_time, reverse=True
        )
        return self._page(newest_first, limit, after)

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """Return a conversation with its messages."""
        conversation = self._conversation(conversation_id)
        messages = [_message(each) for each in conversation["messages"].values()]
        return {
            **_conversation_summary(conversation),
            "messages": {"data": sorted(messages, key=_creation_time, reverse=True)},
        }

    def messages(self, conversation_id: str, limit: int, after: str | None) -> dict[str, Any]:
        """Return a page of a conversation's messages, newest first."""
        messages = map(_message, self._conversation(conversation_id)["messages"].values())
        return self._page(sorted(messages, key=_creation_time, reverse=True), limit, after)

    def send(self, recipient_id: str, text: str, user_id: str | None, replied_message_id: str | None) -> dict[str, str]:
        """Send a message to a person who has written within the last 24 hours."""
        self._require_own_account(user_id, "post")
        conversation = self._conversation_with(recipient_id)
        self._check_text(text)
        if replied_message_id is not None and replied_message_id not in conversation["messages"]:
            raise self._failure(400, "(#100) Param reply_to[mid] is not a valid message ID.", 100)
        self._check_window(conversation, recipient_id)
        receiver = next(each for each in conversation["participants"] if each["id"] == recipient_id)
        message: dict[str, Any] = {
            "id": opaque_id(self._world.ids),
            "created_time": self._now(),
            "from": self._me(),
            "to": [receiver],
            "message": text,
            **({"reply_to": {"mid": replied_message_id}} if replied_message_id else {}),
        }
        self.tree.create(f"conversations[{conversation['id']}].messages", message)
        return {"recipient_id": recipient_id, "message_id": str(message["id"])}

    def _check_text(self, text: str) -> None:
        if not text:
            raise self._failure(400, "(#100) Param message[text] must be a non-empty UTF-8 encoded string", 100)
        if len(text.encode()) > MAX_MESSAGE_BYTES:
            message = f"(#100) Length of param message[text] must be less than or equal to {MAX_MESSAGE_BYTES}"
            raise self._failure(400, message, 100)

    def _check_window(self, conversation: Mapping[str, Any], recipient_id: str) -> None:
        received_messages = [each for each in conversation["messages"].values() if each["from"]["id"] == recipient_id]
        last = max((datetime.fromisoformat(each["created_time"]) for each in received_messages), default=None)
        if self.tree.has("has_reply_window") and not self.tree.get("has_reply_window"):
            return
        if last is None or self._world.now - last > REPLY_WINDOW:
            raise self._failure(403, "This message is sent outside of allowed window.", 10, 2534022)

    def _conversation_with(self, recipient_id: str) -> dict[str, Any]:
        """Return the conversation with a person."""
        for each in self.tree.list("conversations"):
            if recipient_id in {person["id"] for person in each["participants"]} - {self.tree.get("id")}:
                return dict(each)
        raise self._failure(400, "The requested user cannot be found.", 100, 2534014)

    def _conversation(self, conversation_id: str) -> dict[str, Any]:
        conversation: dict[str, Any] | None = self.tree.find("conversations", conversation_id)
        if conversation is None:
            raise self._unknown_object(conversation_id)
        return conversation

    def _comment(self, comment_id: str) -> Match | None:
        """Return the comment with the id, or the comment that has a reply with the id."""
        comments = self.tree.matches("media[*].comments[*]")
        return next(
            (each for each in comments if each.keys[-1] == comment_id or comment_id in each.value.get("replies", {})),
            None,
        )

    def _require_own_account(self, user_id: str | None, method: str = "get") -> None:
        if user_id not in (None, "me", self.tree.get("id")):
            raise self._unknown_object(str(user_id), method)

    def _page(self, items: Iterable[dict[str, Any]], limit: int, after: str | None) -> dict[str, Any]:
        try:
            page_items, cursor = page(list(items), limit, after, "(#100) Invalid parameter")
        except ToolFailure as failure:
            raise self._failure(400, str(failure), 100) from failure
        return {"data": page_items, "paging": {"cursors": {"after": cursor}}} if cursor else {"data": page_items}

    def _me(self) -> dict[str, str]:
        return {"id": self.tree.get("id"), "username": self.tree.get("username")}

    def _now(self) -> str:
        return graph_time(self._world.now.astimezone(UTC))

    def _unknown_object(self, object_id: str, method: str = "get") -> ToolFailure:
        return self._failure(400, _UNKNOWN_OBJECT.format(id=object_id, method=method), 100, 33)

    def _failure(self, status: int, message: str, code: int, subcode: int | None = None) -> ToolFailure:
        """Create a Graph API error; its trace id is generated from the attempt's seed, so that attempts are
        reproducible.
        """
        trace = "A" + self._world.ids.text(22, ascii_letters + digits)
        details = {"code": code, **({"error_subcode": subcode} if subcode else {}), "fbtrace_id": trace}
        error = {"message": message, "type": "IGApiException", **details}
        return ToolFailure("Instagram API request failed", status=status, response={"error": error})


def _post_summary(media: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in media.items() if key != "comments"}
    return {**own, "comments_count": len(media["comments"])}


def _with_replies(comment: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in comment.items() if key != "replies"}
    replies = list(comment.get("replies", {}).values())
    return {**own, "replies": {"data": replies}} if replies else own


def _conversation_summary(conversation: Mapping[str, Any]) -> dict[str, Any]:
    """Return a conversation without its messages."""
    times = [_creation_time(each) for each in conversation["messages"].values()]
    people = {"data": conversation["participants"]}
    return {"id": conversation["id"], "updated_time": max(times, default=""), "participants": people}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "to": {"data": message["to"]}}


def _creation_time(message: Mapping[str, Any]) -> str:
    return str(message["created_time"])


def _update_time(conversation: Mapping[str, Any]) -> str:
    return str(conversation["updated_time"])
