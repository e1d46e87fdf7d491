"""Worlds of the apps that consist of chats: Telegram, Slack, Discord and WeCom."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase, digits
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile, WrittenChat, moment
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.cast import Person
from pytest_mcpbench.simulated.discord.snowflake import snowflake
from pytest_mcpbench.simulated.slack.seed import user as slack_user
from pytest_mcpbench.simulated.telegram.seed import user as telegram_user
from pytest_mcpbench.simulated.wecom.seed import member as wecom_member

_FOUNDED = moment("2025-01-06 09:00")


def telegram(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build an account; a chat is named after a person or has a title."""
    names: dict[str, Any] = {}
    chats = {}
    for key, chat in content.items():
        members = chat_members(profile, key, chat)
        talk = profile.conversation(f"telegram/{key}", chat, members)
        identity = _telegram_identity(profile, key, chat, members)
        messages = {
            str(number): {
                "id": number,
                "from_id": line.person.telegram_id,
                "date": line.moment.isoformat(),
                "text": line.text,
            }
            for number, line in enumerate(talk.lines, 1)
        }
        chats[str(identity["id"])] = {**identity, "unread": 0, "muted": False, "messages": messages}
        names |= chat_names("telegram", key, identity["id"], talk, [int(number) for number in messages])
    users = {
        str(each.telegram_id): telegram_user(each, is_contact=each is not profile.me)
        for each in profile.people.values()
    }
    tree = {"user_id": profile.me.telegram_id, "users": users, "chats": chats}
    return SampledWorld(account_context(profile.me.key, tree), names)


def slack(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build a workspace; a conversation is named after a channel or after a person."""
    names: dict[str, Any] = {}
    channels = {}
    for key, chat in content.items():
        people = chat_members(profile, key, chat)
        talk = profile.conversation(f"slack/{key}", {"setting": "work", **chat}, people)
        channel = _slack_channel(profile, key, chat, people)
        stamps = [f"{int(line.moment.timestamp())}.{number:06}" for number, line in enumerate(talk.lines, 100_100)]
        channel["messages"] = {
            ts: {"type": "message", "ts": ts, "user": line.person.slack_id, "text": line.text}
            for ts, line in zip(stamps, talk.lines, strict=True)
        }
        channels[channel["id"]] = channel
        names |= chat_names("slack", key, channel["id"], talk, stamps)
    users = {each.slack_id: slack_user(each) for each in profile.people.values()}
    tree = {"user_id": profile.me.slack_id, "users": users, "channels": channels, "files": {}, "reminders": {}}
    return SampledWorld(account_context(profile.me.key, tree), names)


def discord(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build one server with text channels, to which everybody belongs; those chat who also write lines there."""
    everybody = tuple(profile.people.values())
    lines = [line for channel in content["channels"].values() for line in channel.get("lines", ())]
    writers = {profile.person(key) for key, *_ in lines}
    speakers = tuple(each for each in everybody if each in writers) or everybody
    guild_id = str(snowflake(_FOUNDED))
    names: dict[str, Any] = {"discord/guild": guild_id}
    channels = {}
    for number, (key, channel) in enumerate(content["channels"].items(), 1):
        talk = profile.conversation(f"discord/{key}", channel, speakers)
        ids = [str(snowflake(line.moment, place)) for place, line in enumerate(talk.lines)]
        channel_id = str(snowflake(_FOUNDED, number))
        channels[channel_id] = {
            "id": channel_id,
            "type": "TEXT",
            "name": key,
            "topic": channel.get("about", ""),
            "denied": [],
            "messages": {
                each: {"id": each, "author_id": line.person.discord_id, "content": line.text}
                for each, line in zip(ids, talk.lines, strict=True)
            },
        }
        names |= chat_names("discord", key, channel_id, talk, ids)
    guild = {
        "id": guild_id,
        "name": content["name"],
        "owner_id": everybody[-1].discord_id,
        "members": [each.discord_id for each in everybody],
        "boosts": 0,
        "channels": channels,
    }
    users = {
        each.discord_id: {
            "id": each.discord_id,
            "username": each.handle,
            "global_name": each.name,
            "discriminator": "0",
        }
        for each in everybody
    }
    tree = {"user_id": profile.me.discord_id, "guild_id": guild_id, "users": users, "guilds": {guild_id: guild}}
    return SampledWorld(account_context(profile.me.key, {**tree, "directs": {}}), names)


def wecom(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build the group to which the robot posts."""
    people = chat_members(profile, "group", content)
    talk = profile.conversation("wecom", {"language": "zh", "setting": "work", **content}, people)
    ids = profile.ids("wecom")
    messages = [
        {
            "message_id": ids.hex(32),
            "from": line.person.wecom_id,
            "msgtype": "text",
            "text": {"content": line.text},
            "create_time": int(line.moment.timestamp()),
        }
        for line in talk.lines
    ]
    tree = {
        "chat_id": "wr" + ids.hex(30),
        "name": content["title"],
        "webhook": {"key": ids.uuid(), "name": "小助手", "enabled": True},
        "members": {each.wecom_id: wecom_member(each) for each in people},
        "messages": {each["message_id"]: each for each in messages},
        "media": {},
    }
    return SampledWorld(account_context(profile.me.key, tree), {})


def chat_members(profile: Profile, key: str, chat: Mapping[str, Any]) -> tuple[Person, ...]:
    """Return the people of a chat: the person, and the members of the group or the one other person."""
    others = [profile.people[key]] if key in profile.people else [profile.person(each) for each in chat["members"]]
    return (profile.me, *others)


def chat_names(app: str, key: str, chat_id: Any, talk: WrittenChat, ids: Sequence[Any]) -> dict[str, Any]:
    """Return the names of a chat and of its written lines."""
    written = {f"{app}/{key}#{number}": ids[place] for number, place in enumerate(talk.written, 1)}
    return {f"{app}/{key}": chat_id, **written}


def _telegram_identity(profile: Profile, key: str, chat: Mapping[str, Any], people: Sequence[Person]) -> dict[str, Any]:
    participants = {"participants": [each.telegram_id for each in people]}
    if key in profile.people:
        return {"id": people[-1].telegram_id, "type": "user", **participants}
    chat_id = profile.ids(f"telegram/{key}").number(10**9, 4 * 10**9)
    return {
        "id": chat_id,
        "type": chat.get("type", "group"),
        "title": chat["title"],
        "creator": people[-1].telegram_id,
        **participants,
    }


def _slack_channel(profile: Profile, key: str, chat: Mapping[str, Any], people: Sequence[Person]) -> dict[str, Any]:
    is_direct = key in profile.people
    ids = profile.ids(f"slack/{key}")
    shared = {
        "id": f"{'D' if is_direct else 'C'}0" + ids.text(9, ascii_uppercase + digits),
        "is_im": is_direct,
        "is_mpim": False,
        "is_private": is_direct or bool(chat.get("private")),
        "is_archived": False,
        "members": [each.slack_id for each in people],
    }
    if is_direct:
        return {**shared, "user": people[-1].slack_id}
    subject = chat.get("about", "")
    return {
        **shared,
        "name": key,
        "is_channel": not shared["is_private"],
        "is_group": shared["is_private"],
        "is_general": key == "general",
        "creator": people[-1].slack_id,
        "topic": {"value": subject},
        "purpose": {"value": ""},
    }
