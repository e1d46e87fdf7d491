"""Discord server: ten tools of ``discord-mcp`` (SaseQ), the best-known server for Discord.

Names, parameters, results and errors match the real server. The account belongs to a member; the real server uses a
bot account.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.discord.seed import empty, seed
from pytest_mcpbench.simulated.discord.snowflake import moment_of, snowflake
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Entities, Simulation, ToolFailure, whole_number

# Discord servers over a context tree, as one account sees them.
#
# The tree is ``{user_id, guild_id, users: {id: user}, guilds: {id: {name, members[], channels: {id: channel}}},
# directs: {id: direct message}}``; ``guild_id`` is the server that a call uses if it does not specify one. Text
# channels and direct messages contain ``messages: {id: {id, author_id, content, reactions}}``; ``denied`` lists the
# permissions that the account lacks in a channel.

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
        if existing:
            direct = existing[0]
        else:
            number = snowflake(self._world.now, self._world.ids.number(1, 4_000_000))
            direct = self._directs.create({"id": str(number), "recipient_id": user_id, "messages": {}})
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


def _check_content(content: str) -> None:
    if not content:
        raise ToolFailure("message cannot be null")
    if len(content) > _MAX_CONTENT_LENGTH:
        raise ToolFailure("Content may not be longer than 2000 characters")


# The tools.

# ruff: noqa: N803 (parameter names match the real server)


GuildId = Annotated[str | None, Field(description="Id of the server; by default the usual one")]
ChannelId = Annotated[str, Field(description="Id of the channel")]
MessageId = Annotated[str, Field(description="Id of the message")]
Text = Annotated[str, Field(description="Text of the message")]
Cursor = Annotated[str | None, Field(description="Id of the message from which to look; only one of the three")]

_MAX_MESSAGES = 100


def get_server_info(discord: Discord, guildId: GuildId = None) -> str:
    """Show what there is to know about a server."""
    guild = discord.guild(guildId)
    counts = {
        kind: sum(1 for each in guild["channels"].values() if each["type"] == kind)
        for kind in ("TEXT", "VOICE", "CATEGORY")
    }
    return (
        f"Server Name: {guild['name']}\nServer ID: {guild['id']}\n"
        f"Owner: {discord.user(guild['owner_id'])['username']}\nCreated On: {moment_of(guild['id']):%Y-%m-%d}\n"
        f"Members: {len(guild['members'])}\n"
        f"Channels:  - Text: {counts['TEXT']}\n - Voice: {counts['VOICE']}\n  - Categories: {counts['CATEGORY']}\n"
        f"Boosts:  - Count: {guild.get('boosts', 0)}\n - Tier: {'TIER_1' if guild.get('boosts', 0) > 1 else 'NONE'}"
    )


def list_channels(discord: Discord, guildId: GuildId = None) -> str:
    """List every channel of a server."""
    channels = discord.guild(guildId)["channels"].values()
    if not channels:
        raise ToolFailure("No channels found by guildId")
    return f"Retrieved {len(channels)} channels:\n" + "\n".join(f"- {_channel_text(each)}" for each in channels)


def find_channel(
    discord: Discord, channelName: Annotated[str, Field(description="Name of the channel")], guildId: GuildId = None
) -> str:
    """Find the type and the id of a channel by its name."""
    channels = discord.guild(guildId)["channels"].values()
    matches = [each for each in channels if each["name"].casefold() == channelName.casefold()]
    if not matches:
        raise ToolFailure(f"No channels found with name {channelName}")
    if len(matches) > 1:
        return f"Retrieved {len(matches)} channels:\n" + "\n".join(f"- {_channel_text(each)}" for each in matches)
    return f"Retrieved {_channel_text(matches[0])}"


def get_user_id_by_name(
    discord: Discord, username: Annotated[str, Field(description="Name of the user")], guildId: GuildId = None
) -> str:
    """Find the id of a member of a server by the user's name."""
    searched_name = username.partition("#")[0].casefold()
    members = (discord.user(each) for each in discord.guild(guildId)["members"])
    matches = [each["id"] for each in members if each["username"].casefold() == searched_name]
    if not matches:
        raise ToolFailure(f"No user found with username {username}")
    return str(matches[0])


def read_messages(  # noqa: PLR0913 (the real server's parameters)
    discord: Discord,
    channelId: ChannelId,
    count: Annotated[str | None, Field(description="How many messages to read (1-100)")] = None,
    before: Cursor = None,
    after: Cursor = None,
    around: Cursor = None,
) -> str:
    """Read the messages of a channel, the newest first, or those before, after or around a message."""
    if sum(each is not None for each in (before, after, around)) > 1:
        raise ToolFailure("before, after, and around are mutually exclusive; provide only one")
    if count is None or not count.strip():
        limit = _MAX_MESSAGES
    else:
        number = whole_number(count.strip().removeprefix("-"))
        if number is None:
            raise ToolFailure("count must be an integer between 1 and 100")
        if count.strip().startswith("-") or not 1 <= number <= _MAX_MESSAGES:
            raise ToolFailure("count must be between 1 and 100")
        limit = number
    newest_first = sorted(discord.messages(channelId).all(), key=lambda each: -int(each["id"]))
    window = _message_window(newest_first, limit, before, after, around)
    lines: list[str] = []
    for each in window:
        author = discord.user(each["author_id"])
        moment = moment_of(each["id"]).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        head = f"- (ID: {each['id']}) **[{author['username']}]** (Author ID: {author['id']})"
        lines.append(f"{head} `{moment}`: ```{each['content']}```")
    return f"**Retrieved {len(window)} messages:** \n" + "\n".join(lines)


def send_message(discord: Discord, channelId: ChannelId, message: Text) -> str:
    """Send a message to a channel."""
    new_message = discord.send(channelId, message)
    return f"Message sent successfully. Message link: {discord.link(channelId, new_message['id'])}"


def edit_message(discord: Discord, channelId: ChannelId, messageId: MessageId, newMessage: Text) -> str:
    """Change a message."""
    discord.edit(channelId, messageId, newMessage)
    return f"Message edited successfully. Message link: {discord.link(channelId, messageId)}"


def delete_message(discord: Discord, channelId: ChannelId, messageId: MessageId) -> str:
    """Delete a message."""
    discord.delete(channelId, messageId)
    return "Message deleted successfully"


def add_reaction(
    discord: Discord,
    channelId: ChannelId,
    messageId: MessageId,
    emoji: Annotated[str, Field(description="The emoji itself, like 👍")],
) -> str:
    """Add a reaction to a message."""
    discord.react(channelId, messageId, emoji)
    return f"Added reaction successfully. Message link: {discord.link(channelId, messageId)}"


def send_private_message(
    discord: Discord, userId: Annotated[str, Field(description="Id of the user")], message: Text
) -> str:
    """Send a private message to a user."""
    channel_id, new_message = discord.send_private(userId, message)
    return f"Message sent successfully. Message link: {discord.link(channel_id, new_message['id'])}"


def _channel_text(channel: Mapping[str, Any]) -> str:
    return f"{channel['type']} channel: {channel['name']} (ID: {channel['id']})"


def _message_window(
    newest_first: list[dict[str, Any]], limit: int, before: str | None, after: str | None, around: str | None
) -> list[dict[str, Any]]:
    if before is not None:
        return [each for each in newest_first if int(each["id"]) < _parse_id(before)][:limit]
    if after is not None:
        return [each for each in newest_first if int(each["id"]) > _parse_id(after)][-limit:]
    if around is not None:
        newer = sum(1 for each in newest_first if int(each["id"]) > _parse_id(around))
        start = max(0, newer - limit // 2)
        return newest_first[start : start + limit]
    return newest_first[:limit]


def _parse_id(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise ToolFailure(f"The specified ID is not a valid snowflake ({text}). Expecting a valid long value!")
    return number


SIMULATION = Simulation(
    name="discord-mcp",
    state=Discord,
    tools=(
        get_server_info,
        list_channels,
        find_channel,
        get_user_id_by_name,
        read_messages,
        send_message,
        edit_message,
        delete_message,
        add_reaction,
        send_private_message,
    ),
    dialect=TYPESCRIPT,
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
