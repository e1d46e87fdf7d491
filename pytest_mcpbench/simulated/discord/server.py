# ruff: noqa: N803 (parameter names match the real server)
"""Discord server: ten tools of ``discord-mcp`` (SaseQ), the best-known server for Discord.

Names, parameters, results and errors match the real server. The account belongs to a member; the real server uses a bot
account.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.discord.snowflake import moment_of
from pytest_mcpbench.simulated.discord.world import Discord
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, ToolFailure, whole_number

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
    limit = _parse_limit(count)
    newest_first = sorted(discord.messages(channelId).all(), key=lambda each: -int(each["id"]))
    window = _message_window(newest_first, limit, before, after, around)
    lines = [_message_text(discord, each) for each in window]
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


def _parse_limit(count: str | None) -> int:
    if count is None or not count.strip():
        return _MAX_MESSAGES
    number = whole_number(count.strip().removeprefix("-"))
    if number is None:
        raise ToolFailure("count must be an integer between 1 and 100")
    if count.strip().startswith("-") or not 1 <= number <= _MAX_MESSAGES:
        raise ToolFailure("count must be between 1 and 100")
    return number


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


def _message_text(discord: Discord, message: Mapping[str, Any]) -> str:
    author = discord.user(message["author_id"])
    moment = moment_of(message["id"]).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = f"- (ID: {message['id']}) **[{author['username']}]** (Author ID: {author['id']})"
    return f"{head} `{moment}`: ```{message['content']}```"


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
