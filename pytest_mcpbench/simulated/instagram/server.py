"""Instagram server: eight of Composio's tools, under the names that MCP-Persona uses.

The parameters match Composio's toolkit; the content of ``data`` has the shape of the Graph API.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from string import ascii_letters, digits
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure, page
from pytest_mcpbench.simulated.engine.composio import COMPOSIO, failure_envelope, success_envelope
from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects
from pytest_mcpbench.simulated.instagram.seed import empty, graph_time, new_id, opaque_id, seed

# Conversion of MCP-Persona's Instagram contexts, in which nested fields have dotted names, to an account.

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the account of the first context; a tree in the server's own form is returned unchanged.

    The account may write to anybody at any time, because the messages are older than the clock of the tasks.
    """
    accounts = find_accounts(tree, ("username", "media", "conversations"))
    if not accounts or _is_own_form(accounts[0]):
        return tree
    (account, *_) = accounts
    profile = {name: value for name, value in account.items() if name not in ("media", "conversations", "media_count")}
    conversations = [_conversation(each, account) for each in objects(account["conversations"])]
    media: dict[str, Fields] = {}
    for post in objects(account["media"]):
        fields = {name: value for name, value in post.items() if name not in ("comments", "comments_count")}
        comments = {each["id"]: _comment(each) for each in objects(post.get("comments"))}
        media[post["id"]] = {**fields, "comments": comments}
    return {
        **profile,
        "has_reply_window": False,
        "media": media,
        "conversations": {each["id"]: each for each in conversations},
    }


def _is_own_form(account: Fields) -> bool:
    """Return whether people are objects, as in the server's own trees, and the tree is one account."""
    people = [person for each in objects(account["conversations"]) for person in each.get("participants", ())]
    comments = [comment for post in objects(account["media"]) for comment in objects(post.get("comments"))]
    return all(isinstance(each, Mapping) for each in people) and all("from" in each for each in comments)


def _comment(public: Fields) -> Fields:
    author = {"id": public.get("from_user.id", ""), "username": public.get("from_user.username", "")}
    fields: Fields = {name: public[name] for name in ("id", "text", "timestamp", "like_count") if name in public}
    replies = {each["id"]: _comment(each) for each in objects(public.get("replies"))}
    return {**fields, "username": author["username"], "from": author, "hidden": False, "replies": replies}


def _conversation(public: Fields, account: Fields) -> Fields:
    messages: list[Fields] = []
    for each in objects(public.get("messages")):
        sender, receiver = (
            {"id": each.get(f"{side}.id", ""), "username": each.get(f"{side}.username", "")} for side in ("from", "to")
        )
        attachments = {"attachments": each["attachments"]} if each.get("attachments") else {}
        messages.append(
            {
                "id": each["id"],
                "created_time": each.get("created_time", ""),
                "from": sender,
                "to": [receiver],
                "message": each.get("text") or "",
                **attachments,
            }
        )
    named = {person["id"]: person for each in messages for person in (each["from"], *each["to"])}
    named[account["id"]] = {"id": account["id"], "username": account["username"]}
    people = [named.get(person, {"id": person, "username": ""}) for person in public.get("participants", ())]
    return {"id": public["id"], "participants": people, "messages": {each["id"]: each for each in messages}}


# Instagram over a context tree, with the Graph API's rules for a creator's own account.
#
# The tree is the account: ``{id, username, …, media: {id: {…, comments: {id: {…, replies: {id}}}}}, conversations: {id:
# {participants, messages: {id}}}}``, with posts and messages newest first. Counts that the API reports are computed
# rather than stored. A tree may contain a list ``scopes`` of permissions, and ``has_reply_window: false``.

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
        comments = self.tree.matches("media[*].comments[*]")
        comment = next(
            (each for each in comments if each.keys[-1] == comment_id or comment_id in each.value.get("replies", {})),
            None,
        )
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
        messages = [_listed_message(each) for each in conversation["messages"].values()]
        return {
            **_conversation_summary(conversation),
            "messages": {"data": sorted(messages, key=_creation_time, reverse=True)},
        }

    def messages(self, conversation_id: str, limit: int, after: str | None) -> dict[str, Any]:
        """Return a page of a conversation's messages, newest first."""
        messages = map(_listed_message, self._conversation(conversation_id)["messages"].values())
        return self._page(sorted(messages, key=_creation_time, reverse=True), limit, after)

    def send(self, recipient_id: str, text: str, user_id: str | None, replied_message_id: str | None) -> dict[str, str]:
        """Send a message to a person who has written within the last 24 hours."""
        self._require_own_account(user_id, "post")
        conversation = self._conversation_with(recipient_id)
        if not text:
            raise self._failure(400, "(#100) Param message[text] must be a non-empty UTF-8 encoded string", 100)
        if len(text.encode()) > MAX_MESSAGE_BYTES:
            too_long = f"(#100) Length of param message[text] must be less than or equal to {MAX_MESSAGE_BYTES}"
            raise self._failure(400, too_long, 100)
        if replied_message_id is not None and replied_message_id not in conversation["messages"]:
            raise self._failure(400, "(#100) Param reply_to[mid] is not a valid message ID.", 100)
        received = [each for each in conversation["messages"].values() if each["from"]["id"] == recipient_id]
        last = max((datetime.fromisoformat(each["created_time"]) for each in received), default=None)
        has_window = not self.tree.has("has_reply_window") or self.tree.get("has_reply_window")
        if has_window and (last is None or self._world.now - last > REPLY_WINDOW):
            raise self._failure(403, "This message is sent outside of allowed window.", 10, 2534022)
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


def _listed_message(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "to": {"data": message["to"]}}


def _creation_time(message: Mapping[str, Any]) -> str:
    return str(message["created_time"])


def _update_time(conversation: Mapping[str, Any]) -> str:
    return str(conversation["updated_time"])


# The tools.

_BASIC, _COMMENTS, _MESSAGES = (
    f"instagram_business_{name}" for name in ("basic", "manage_comments", "manage_messages")
)
_VERSION = Field(description="Version of the Graph API", json_schema_extra={"default": "v21.0"})

UserId = Annotated[str | None, Field(description="Id of the account; by default the connected one")]
ConversationId = Annotated[str, Field(description="Id of the conversation")]
Limit = Annotated[int, Field(ge=1, le=100, description="How many to return at most")]
After = Annotated[str | None, Field(description="Cursor of the page before")]


class Version(TypedDict):
    """Requested version of the Graph API; the simulation ignores it."""

    graph_api_version: NotRequired[Annotated[str | None, _VERSION]]


def get_conversation(
    instagram: Instagram, conversation_id: ConversationId, **_version: Unpack[Version]
) -> dict[str, Any]:
    """Get one conversation: who takes part in it and what was written."""
    return instagram.conversation(conversation_id)


def get_post_comments(
    instagram: Instagram,
    ig_post_id: Annotated[str, Field(description="Id of the post")],
    limit: Limit = 25,
    after: After = None,
    **_version: Unpack[Version],
) -> dict[str, Any]:
    """Get the comments on a post, the newest first."""
    return instagram.comments(ig_post_id, limit, after)


def get_user_info(instagram: Instagram, ig_user_id: UserId = None, **_version: Unpack[Version]) -> dict[str, Any]:
    """Get the profile and the numbers of the account."""
    return instagram.user(ig_user_id)


def get_user_media(
    instagram: Instagram,
    ig_user_id: UserId = None,
    limit: Limit = 25,
    after: After = None,
    **_version: Unpack[Version],
) -> dict[str, Any]:
    """Get the posts of the account, the newest first."""
    return instagram.media(ig_user_id, limit, after)


def list_all_conversations(
    instagram: Instagram,
    ig_user_id: UserId = None,
    limit: Limit = 25,
    after: After = None,
    **_version: Unpack[Version],
) -> dict[str, Any]:
    """List the direct conversations of the account, the one with the newest message first."""
    return instagram.conversations(ig_user_id, limit, after)


def list_all_messages(
    instagram: Instagram,
    conversation_id: ConversationId,
    limit: Limit = 25,
    after: After = None,
    **_version: Unpack[Version],
) -> dict[str, Any]:
    """List the messages of one conversation, the newest first."""
    return instagram.messages(conversation_id, limit, after)


def reply_to_comment(
    instagram: Instagram,
    ig_comment_id: Annotated[str, Field(description="Id of the comment to answer")],
    message: Annotated[str, Field(description="What the answer says")],
    **_version: Unpack[Version],
) -> dict[str, Any]:
    """Answer a comment on a post."""
    return {"id": instagram.reply(ig_comment_id, message)}


def send_text_message(
    instagram: Instagram,
    recipient_id: Annotated[str, Field(description="Id of the person, as conversations have it; no user name")],
    text: Annotated[str, Field(description="What the message says")],
    ig_user_id: UserId = None,
    reply_to_message_id: Annotated[str | None, Field(description="Id of the message that it answers")] = None,
    **_version: Unpack[Version],
) -> dict[str, str]:
    """Send a direct message to a person who has written within the last 24 hours."""
    return instagram.send(recipient_id, text, ig_user_id, reply_to_message_id)


def _permission_error(_failure: ToolFailure) -> ToolFailure:
    error = {"message": "(#10) Application does not have permission for this action", "type": "IGApiException"}
    return ToolFailure("Instagram API request failed", status=403, response={"error": {**error, "code": 10}})


SIMULATION = Simulation(
    name="instagram",
    state=Instagram,
    tools=(
        get_conversation,
        get_post_comments,
        get_user_info,
        get_user_media,
        list_all_conversations,
        list_all_messages,
        reply_to_comment,
        send_text_message,
    ),
    dialect=COMPOSIO,
    answer=success_envelope,
    failure=failure_envelope(_permission_error),
    scopes={
        "get_conversation": _MESSAGES,
        "get_post_comments": _COMMENTS,
        "get_user_info": _BASIC,
        "get_user_media": _BASIC,
        "list_all_conversations": _MESSAGES,
        "list_all_messages": _MESSAGES,
        "reply_to_comment": _COMMENTS,
        "send_text_message": _MESSAGES,
    },
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
