"""Actions in Discord: channels of the only server, and private messages."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.discord.seed import seed

SERVER = "discord"


def show_server(*values: Any) -> Action:
    """Show the server."""
    return lookup(SERVER, "get_server_info", {}, "look at the Discord server", *values)


def list_channels(*values: Any) -> Action:
    """List the channels."""
    return lookup(SERVER, "list_channels", {}, "list the channels", *values)


def find_channel(name: str) -> Action:
    """Find a channel."""
    return lookup(SERVER, "find_channel", {"channelName": name}, f"find the channel #{name}", _channel(name)["id"])


def find_member(key: str) -> Action:
    """Find a member."""
    who = CAST.person(key)
    return lookup(SERVER, "get_user_id_by_name", {"username": who.handle}, f"find {who.name}", who.discord_id)


def read_channel(name: str, *values: Any) -> Action:
    """Read a channel."""
    arguments = {"channelId": _channel(name)["id"], "count": "50"}
    return lookup(SERVER, "read_messages", arguments, f"read #{name}", *values)


def send_message(name: str, text: str, *facts: Fact) -> Action:
    """Post to a channel."""
    arguments = {"channelId": _channel(name)["id"], "message": text}
    return change("create", SERVER, "send_message", arguments, f"write to #{name}", *facts, collection=_messages(name))


def edit_message(name: str, message: str, text: str) -> Action:
    """Change the text of one of the user's messages."""
    arguments = {"channelId": _channel(name)["id"], "messageId": _message(name, message), "newMessage": text}
    return change(
        "modify",
        SERVER,
        "edit_message",
        arguments,
        f"correct the message in #{name}",
        text,
        collection=_messages(name),
        entity=arguments["messageId"],
    )


def delete_message(name: str, message: str) -> Action:
    """Delete one of the user's messages."""
    arguments = {"channelId": _channel(name)["id"], "messageId": _message(name, message)}
    return change(
        "delete",
        SERVER,
        "delete_message",
        arguments,
        f"delete the message in #{name}",
        collection=_messages(name),
        entity=arguments["messageId"],
    )


def react(name: str, message: str, emoji: str) -> Action:
    """Add an emoji reaction to the message that contains a text."""
    arguments = {"channelId": _channel(name)["id"], "messageId": _message(name, message), "emoji": emoji}
    return change(
        "modify",
        SERVER,
        "add_reaction",
        arguments,
        f"add {emoji} to the message in #{name}",
        emoji,
        collection=_messages(name),
        entity=arguments["messageId"],
    )


def send_private_message(key: str, text: str, *facts: Fact) -> Action:
    """Send a private message to a member."""
    who = CAST.person(key)
    known = [each["id"] for each in seed()["directs"].values() if each["recipient_id"] == who.discord_id]
    collection = f"directs[{known[0]}].messages" if known else "directs"
    fields = {} if known else {"recipient_id": who.discord_id}
    arguments = {"userId": who.discord_id, "message": text}
    purpose = f"write to {who.name} in private"
    return change(
        "create", SERVER, "send_private_message", arguments, purpose, *facts, collection=collection, fields=fields
    )


@cache
def _guild() -> dict[str, Any]:
    (guild,) = seed()["guilds"].values()
    return dict(guild)


def _channel(name: str) -> dict[str, Any]:
    (expected,) = [each for each in _guild()["channels"].values() if each["name"] == name]
    return dict(expected)


def _messages(name: str) -> str:
    return f"guilds[{_guild()['id']}].channels[{_channel(name)['id']}].messages"


def _message(name: str, text: str) -> str:
    (expected,) = [key for key, each in _channel(name)["messages"].items() if text in each["content"]]
    return str(expected)
