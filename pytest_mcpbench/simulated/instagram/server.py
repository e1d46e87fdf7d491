"""Instagram server: eight of Composio's tools, under the names that MCP-Persona uses.

The parameters match Composio's toolkit; the content of ``data`` has the shape of the Graph API.
"""

from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.engine.composio import COMPOSIO, failure_envelope, success_envelope
from pytest_mcpbench.simulated.instagram.world import Instagram

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
