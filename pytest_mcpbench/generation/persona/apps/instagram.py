"""Actions on Instagram: posts and comments of the user's account, and messages."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.instagram.seed import account, seed

SERVER = "instagram"


def read_profile(*values: Any) -> Action:
    """Read the user's own profile."""
    return lookup(SERVER, "get_user_info", {}, "look at the profile", *values)


def list_posts(*values: Any) -> Action:
    """List the user's posts."""
    return lookup(SERVER, "get_user_media", {"limit": 50}, "list the posts", *values)


def list_comments(caption: str, *values: Any) -> Action:
    """List the comments on the post whose caption contains a text."""
    arguments = {"ig_post_id": post(caption)["id"], "limit": 50}
    return lookup(SERVER, "get_post_comments", arguments, f"read the comments on '{caption}'", *values)


def list_conversations(*values: Any) -> Action:
    """List all conversations."""
    return lookup(SERVER, "list_all_conversations", {"limit": 50}, "list the conversations", *values)


def find_conversation(key: str, *values: Any) -> Action:
    """Find the conversation with a person."""
    arguments = {"conversation_id": _with(key)["id"]}
    purpose = f"read the conversation with {CAST.person(key).name}"
    return lookup(SERVER, "get_conversation", arguments, purpose, *values)


def read_messages(key: str, *values: Any) -> Action:
    """Read the messages exchanged with a person."""
    arguments = {"conversation_id": _with(key)["id"], "limit": 50}
    purpose = f"read the messages with {CAST.person(key).name}"
    return lookup(SERVER, "list_all_messages", arguments, purpose, *values)


def reply_to_comment(caption: str, writer: str, text: str, *facts: Fact) -> Action:
    """Reply to the only comment that a person wrote on a post."""
    media = post(caption)
    name = CAST.person(writer).handle
    (expected,) = [key for key, each in media["comments"].items() if each["username"] == name]
    return change(
        "create",
        SERVER,
        "reply_to_comment",
        {"ig_comment_id": expected, "message": text},
        f"answer {name} on '{caption}'",
        *facts,
        collection=f"media[{media['id']}].comments[{expected}].replies",
    )


def send_message(key: str, text: str, *facts: Fact) -> Action:
    """Send a message to a person who has written within the last day."""
    person = CAST.person(key)
    return change(
        "create",
        SERVER,
        "send_text_message",
        {"recipient_id": account(person)["id"], "text": text},
        f"write to {person.name}",
        *facts,
        collection=f"conversations[{_with(key)['id']}].messages",
    )


def all_posts() -> list[dict[str, Any]]:
    """Return the user's posts, newest first."""
    return list(_seed()["media"].values())


def post(caption: str) -> dict[str, Any]:
    """Return the post whose caption contains a text."""
    (expected,) = [each for each in _seed()["media"].values() if caption in each["caption"]]
    return dict(expected)


def _with(key: str) -> dict[str, Any]:
    expected = account(CAST.person(key))["id"]
    conversations = _seed()["conversations"].values()
    (conversation,) = [each for each in conversations if expected in {person["id"] for person in each["participants"]}]
    return dict(conversation)


@cache
def _seed() -> dict[str, Any]:
    return seed()
