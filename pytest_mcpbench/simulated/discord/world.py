"""Discord servers over a context tree, as one account sees them.

The tree is ``{user_id, guild_id, users: {id: user}, guilds: {id: {name, members[], channels: {id: channel}}}, directs:
{id: direct message}}``; ``guild_id`` is the server that a call means if it names none. Text channels and direct
messages hold ``messages: {id: {id, author_id, content, reactions}}``; ``denied`` are the account's lacking permissions
in a channel.
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
_NO_GUILD = "Discord server not found by guildId"
_NO_CHANNEL = "Channel not found by channelId"
_NO_MESSAGE = "10008: Unknown Message"
_FOREIGN = "50005: Cannot edit a message authored by another user"
_DENIED = "Cannot perform action due to a lack of Permission. Missing permission: {permission}"
_LONGEST_CONTENT = 2000

Entity = Mapping[str, Any]


class Discord:
    """The account of one attempt. Each method is a request; failures have the real server's words."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty})
        self._guilds = Entities(self.tree, "guilds", _NO_GUILD)
        self._users = Entities(self.tree, "users", "User not found by userId")
        self._directs = Entities(self.tree, "directs", _NO_CHANNEL)

    @property
    def me(self) -> str:
        """The account's id."""
        return str(self.tree.get("user_id"))

    def guild(self, guild_id: str | None) -> dict[str, Any]:
        """A server, or the default one."""
        default = self.tree.get("guild_id") if self.tree.has("guild_id") else None
        wanted = guild_id or default
        if not wanted:
            raise ToolFailure("guildId cannot be null")
        return self._guilds.get(wanted)

    def user(self, user_id: str) -> dict[str, Any]:
        """A member of any of the servers."""
        return self._users.get(user_id)

    def messages(self, channel_id: str) -> Entities:
        """The messages of a text channel or a direct message."""
        return Entities(self.tree, f"{self._place(channel_id)}.messages", _NO_MESSAGE)

    def send(self, channel_id: str, content: str) -> dict[str, Any]:
        """Write to a channel."""
        self._check(channel_id, "MESSAGE_SEND")
        _check_content(content)
        messages = self.messages(channel_id)
        newest = max((int(each["id"]) for each in messages.all()), default=0)
        number = max(snowflake(self._world.now), newest + 1)
        return messages.create({"id": str(number), "author_id": self.me, "content": content})

    def send_private(self, user_id: str, content: str) -> tuple[str, dict[str, Any]]:
        """Write to a user; the id of the direct message, and the message."""
        self.user(user_id)
        _check_content(content)
        known = self._directs.all({"recipient_id": user_id}, limit=1)
        direct = known[0] if known else self._new_direct(user_id)
        return direct["id"], self.send(direct["id"], content)

    def edit(self, channel_id: str, message_id: str, content: str) -> dict[str, Any]:
        """Change a message that the account wrote."""
        messages = self.messages(channel_id)
        if messages.get(message_id)["author_id"] != self.me:
            raise ToolFailure(_FOREIGN)
        _check_content(content)
        return messages.update(message_id, {"content": content, "edited": True})

    def delete(self, channel_id: str, message_id: str) -> None:
        """Take a message away; those of others only where the account may manage messages."""
        messages = self.messages(channel_id)
        if messages.get(message_id)["author_id"] != self.me:
            raise ToolFailure(_DENIED.format(permission="MESSAGE_MANAGE"))
        messages.delete(message_id)

    def react(self, channel_id: str, message_id: str, emoji: str) -> None:
        """Add the account's reaction to a message; a second time changes nothing."""
        if emoji.isascii():
            raise ToolFailure("10014: Unknown Emoji")
        self._check(channel_id, "MESSAGE_ADD_REACTION")
        messages = self.messages(channel_id)
        reactions = dict(messages.get(message_id).get("reactions", {}))
        reactions[emoji] = list(dict.fromkeys((*reactions.get(emoji, ()), self.me)))
        messages.update(message_id, {"reactions": reactions})

    def link(self, channel_id: str, message_id: str) -> str:
        """Where a message can be seen."""
        guild = next((key for key, channels in self._channels() if channel_id in channels), "@me")
        return f"https://discord.com/channels/{guild}/{channel_id}/{message_id}"

    def _channels(self) -> list[tuple[str, Entity]]:
        return [(match.keys[-1], match.value.get("channels", {})) for match in self.tree.matches("guilds[*]")]

    def _place(self, channel_id: str) -> str:
        if self._directs.find(channel_id) is not None:
            return f"directs[{channel_id}]"
        for guild, channels in self._channels():
            if channels.get(channel_id, {}).get("type") == "TEXT":
                return f"guilds[{guild}].channels[{channel_id}]"
        raise ToolFailure(_NO_CHANNEL)

    def _check(self, channel_id: str, permission: str) -> None:
        if permission in self.tree.get(self._place(channel_id)).get("denied", ()):
            raise ToolFailure(_DENIED.format(permission=permission))

    def _new_direct(self, user_id: str) -> dict[str, Any]:
        number = snowflake(self._world.now, self._world.ids.number(1, 4_000_000))
        return self._directs.create({"id": str(number), "recipient_id": user_id, "messages": {}})


def _check_content(content: str) -> None:
    if not content:
        raise ToolFailure("message cannot be null")
    if len(content) > _LONGEST_CONTENT:
        raise ToolFailure("Content may not be longer than 2000 characters")
