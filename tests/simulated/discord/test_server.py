import re
from typing import Any

import pytest

from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.discord.seed import seed
from pytest_mcpbench.simulated.discord.server import SIMULATION
from pytest_mcpbench.simulated.discord.snowflake import moment_of, snowflake
from tests.simulated.service import Service, parameters

ME, NINA, SAM, PRIYA = (CAST.person(key).discord_id for key in (CAST.me.key, "nina.berg", "sam.carter", "priya.nair"))
(GUILD,) = seed()["guilds"]
CHANNELS = {each["name"]: each for each in seed()["guilds"][GUILD]["channels"].values()}
LANTERN, RULES = CHANNELS["lantern"]["id"], CHANNELS["rules"]["id"]
IDS = sorted(CHANNELS["lantern"]["messages"], key=int, reverse=True)
THEIRS = next(key for key, each in CHANNELS["lantern"]["messages"].items() if each["author_id"] != ME)


@pytest.fixture
def discord() -> Service:
    return Service(SIMULATION)


def test_the_tools_and_parameters_are_the_real_ones() -> None:
    assert parameters(SIMULATION) == {
        "get_server_info": {"guildId"},
        "list_channels": {"guildId"},
        "find_channel": {"channelName*", "guildId"},
        "get_user_id_by_name": {"username*", "guildId"},
        "read_messages": {"channelId*", "count", "before", "after", "around"},
        "send_message": {"channelId*", "message*"},
        "edit_message": {"channelId*", "messageId*", "newMessage*"},
        "delete_message": {"channelId*", "messageId*"},
        "add_reaction": {"channelId*", "messageId*", "emoji*"},
        "send_private_message": {"userId*", "message*"},
    }


def test_an_id_holds_its_moment() -> None:
    assert moment_of(snowflake(NOW, 7)) == NOW


def test_a_server_is_described_and_its_channels_listed(discord: Service) -> None:
    assert discord.call("get_server_info").startswith(
        f"Server Name: Northlight Makers\nServer ID: {GUILD}\nOwner: haoran_li\nCreated On: 2024-05-17\nMembers: 9\n"
    )
    listed = discord.call("list_channels", guildId=GUILD).splitlines()
    assert listed[0] == "Retrieved 16 channels:"
    assert f"- TEXT channel: lantern (ID: {LANTERN})" in listed
    assert discord.call("find_channel", channelName="Lantern") == f"Retrieved TEXT channel: lantern (ID: {LANTERN})"
    assert discord.call("get_user_id_by_name", username="nina_berg#0") == NINA


def read(discord: Service, **arguments: Any) -> list[str]:
    return re.findall(r"^- \(ID: (\d+)\)", discord.call("read_messages", channelId=LANTERN, **arguments), re.MULTILINE)


def test_messages_are_read_newest_first_and_around_others(discord: Service) -> None:
    assert read(discord) == IDS
    assert read(discord, count="3") == IDS[:3]
    assert read(discord, before=IDS[4], count="2") == IDS[5:7]
    assert read(discord, after=IDS[4], count="2") == IDS[2:4]
    assert read(discord, around=IDS[4], count="3") == IDS[3:6]
    text = discord.call("read_messages", channelId=LANTERN, count="1")
    assert re.fullmatch(
        r"\*\*Retrieved 1 messages:\*\* \n- \(ID: \d+\) \*\*\[\w+\]\*\* \(Author ID: \d+\) "
        r"`2026-\d\d-\d\dT[\d:.]+Z`: ```.+```",
        text,
    )


def test_a_message_is_sent_changed_and_deleted(discord: Service) -> None:
    answers = [discord.call("send_message", channelId=LANTERN, message=text) for text in ("One", "Two")]
    first, second = (answer.rpartition("/")[2] for answer in answers)
    assert answers[0] == (
        f"Message sent successfully. Message link: https://discord.com/channels/{GUILD}/{LANTERN}/{first}"
    )
    assert int(second) == int(first) + 1
    discord.call("edit_message", channelId=LANTERN, messageId=first, newMessage="Three")
    assert discord.call("delete_message", channelId=LANTERN, messageId=second) == "Message deleted successfully"
    (change,) = discord.changes()
    assert (change.kind, change.collection) == ("created", f"guilds[{GUILD}].channels[{LANTERN}].messages")
    assert change.after == {"id": first, "author_id": ME, "content": "Three", "edited": True}


def test_a_reaction_is_kept_once(discord: Service) -> None:
    for _ in range(2):
        discord.call("add_reaction", channelId=LANTERN, messageId=THEIRS, emoji="👍")
    (change,) = discord.changes()
    assert change.after["reactions"] == {"👍": [ME]}


@pytest.mark.parametrize(("user", "is_new"), [(NINA, False), (PRIYA, True)])
def test_a_private_message_reaches_a_user(discord: Service, user: str, is_new: bool) -> None:
    answer = discord.call("send_private_message", userId=user, message="Hi")
    assert "https://discord.com/channels/@me/" in answer
    (change,) = discord.changes()
    assert (change.kind, change.collection == "directs") == ("created", is_new)


def test_the_named_seed_empty_has_channels_without_messages() -> None:
    discord = Service(SIMULATION, seed="empty")
    assert discord.call("read_messages", channelId=LANTERN) == "**Retrieved 0 messages:** \n"
    assert discord.call("find_channel", channelName="rules").endswith(f"(ID: {RULES})")
