"""Discord servers over a context tree, as one account sees them.

The tree is ``{user_id, guild_id, users: {id: user}, guilds: {id: {name, members[], channels: {id: channel}}}, directs:
{id: direct message}}``; ``guild_id`` is the server that a call uses if it does not specify one. Text channels and
direct messages contain ``messages: {id: {id, author_id, content, reactions}}``; ``denied`` lists the permissions that
the account lacks in a channel.
"""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.discord.seed import empty, seed
from pytest_mcpbench.simulated.discord.snowflake import snowflake
from pytest_mcpbench.simulated.engine import Entities, ToolFailure

SHAPE = Shape(
    (
        Collection("users", id_field="id"),
        Collection("guilds", id_field="id"),
        Collection("guilds[*].channels", id_field="id"),
        Collection("guilds[*].channels[*].messages", id_field="id"),
        Collection("directs", id_field="id"),
        Collection("directs[*].messages", id_field="id"),
    )
)
_UNKNOWN_GUILD = "Discord server not found by guildId"
_UNKNOWN_CHANNEL = "Channel not found by channelId"
_UNKNOWN_MESSAGE = "10008: Unknown Message"
_NOT_AUTHOR = "50005: Cannot edit a message authored by another user"
_MISSING_PERMISSION = "Cannot perform action due to a lack of Permission. Missing permission: {permission}"
_MAX_CONTENT_LENGTH = 2000

Entity = Mapping[str, Any]


class Discord:
    """The account of one attempt. Each method is a request; failures use the real server's messages."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty})
        self._guilds = Entities(self.tree, "guilds", _UNKNOWN_GUILD)
        self._users = Entities(self.tree, "users", "User not found by userId")
        self._directs = Entities(self.tree, "directs", _UNKNOWN_CHANNEL)

    @property
    def me(self) -> str:
        """The account's user id."""
        return str(self.tree.get("user_id"))

    def guild(self, guild_id: str | None) -> dict[str, Any]:
        """Return the server with the id, or the default server."""
        default = self.tree.get("guild_id") if self.tree.has("guild_id") else None
        requested_id = guild_id or default
        if not requested_id:
            raise ToolFailure("guildId cannot be null")
        return self._guilds.get(requested_id)

    def user(self, user_id: str) -> dict[str, Any]:
        """Return a member of any of the servers."""
        return self._users.get(user_id)

    def messages(self, channel_id: str) -> Entities:
        """Return the messages of a text channel or a direct message."""
        return Entities(self.tree, f"{self._channel_path(channel_id)}.messages", _UNKNOWN_MESSAGE)

    def send(self, channel_id: str, content: str) -> dict[str, Any]:
        """Send a message to a channel."""
        self._require_permission(channel_id, "MESSAGE_SEND")
        _check_content(content)
        messages = self.messages(channel_id)
        newest = max((int(each["id"]) for each in messages.all()), default=0)
        number = max(snowflake(self._world.now), newest + 1)
        return messages.create({"id": str(number), "author_id": self.me, "content": content})

    def send_private(self, user_id: str, content: str) -> tuple[str, dict[str, Any]]:
        """Send a message to a user; return the id of the direct-message channel and the message."""
        self.user(user_id)
        _check_content(content)
        existing = self._directs.all({"recipient_id": user_id}, limit=1)
        direct = existing[0] if existing else self._create_direct(user_id)
        return direct["id"], self.send(direct["id"], content)

    def edit(self, channel_id: str, message_id: str, content: str) -> dict[str, Any]:
        """Change a message that the account wrote."""
        messages = self.messages(channel_id)
        if messages.get(message_id)["author_id"] != self.me:
            raise ToolFailure(_NOT_AUTHOR)
        _check_content(content)
        return messages.update(message_id, {"content": content, "edited": True})

    def delete(self, channel_id: str, message_id: str) -> None:
        """Delete a message that the account wrote; deleting another user's message fails."""
        messages = self.messages(channel_id)
        if messages.get(message_id)["author_id"] != self.me:
            raise ToolFailure(_MISSING_PERMISSION.format(permission="MESSAGE_MANAGE"))
        messages.delete(message_id)

    def react(self, channel_id: str, message_id: str, emoji: str) -> None:
        """Add the account's reaction to a message; repeating it has no effect."""
        if emoji.isascii():
            raise ToolFailure("10014: Unknown Emoji")
        self._require_permission(channel_id, "MESSAGE_ADD_REACTION")
        messages = self.messages(channel_id)
        reactions = dict(messages.get(message_id).get("reactions", {}))
        reactions[emoji] = list(dict.fromkeys((*reactions.get(emoji, ()), self.me)))
        messages.update(message_id, {"reactions": reactions})

    def link(self, channel_id: str, message_id: str) -> str:
        """Return the URL of a message."""
        guild = next((key for key, channels in self._channels() if channel_id in channels), "@me")
        return f"https://discord.com/channels/{guild}/{channel_id}/{message_id}"

    def _channels(self) -> list[tuple[str, Entity]]:
        return [(match.keys[-1], match.value.get("channels", {})) for match in self.tree.matches("guilds[*]")]

    def _channel_path(self, channel_id: str) -> str:
        if self._directs.find(channel_id) is not None:
            return f"directs[{channel_id}]"
        for guild, channels in self._channels():
            if channels.get(channel_id, {}).get("type") == "TEXT":
                return f"guilds[{guild}].channels[{channel_id}]"
        raise ToolFailure(_UNKNOWN_CHANNEL)

    def _require_permission(self, channel_id: str, permission: str) -> None:
        if permission in self.tree.get(self._channel_path(channel_id)).get("denied", ()):
            raise ToolFailure(_MISSING_PERMISSION.format(permission=permission))

    def _create_direct(self, user_id: str) -> dict[str, Any]:
        number = snowflake(self._world.now, self._world.ids.number(1, 4_000_000))
        return self._directs.create({"id": str(number), "recipient_id": user_id, "messages": {}})


def _check_content(content: str) -> None:
    if not content:
        raise ToolFailure("message cannot be null")
    if len(content) > _MAX_CONTENT_LENGTH:
        raise ToolFailure("Content may not be longer than 2000 characters")
