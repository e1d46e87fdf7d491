"""What holds for each of the personal apps."""

import json
from typing import Any

import pytest
from mcp import Client

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.discord import server as discord
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.gmail import server as gmail
from pytest_mcpbench.simulated.instagram import seed as instagram_seed
from pytest_mcpbench.simulated.instagram import server as instagram
from pytest_mcpbench.simulated.lark import server as lark
from pytest_mcpbench.simulated.notion import seed as notion_seed
from pytest_mcpbench.simulated.notion import server as notion
from pytest_mcpbench.simulated.obsidian import server as obsidian
from pytest_mcpbench.simulated.reddit import seed as reddit_seed
from pytest_mcpbench.simulated.reddit import server as reddit
from pytest_mcpbench.simulated.serve import build_server, world
from pytest_mcpbench.simulated.slack import server as slack
from pytest_mcpbench.simulated.telegram import server as telegram
from pytest_mcpbench.simulated.universal_email import server as universal_email
from pytest_mcpbench.simulated.wecom import server as wecom
from pytest_mcpbench.simulated.xiaohongshu import seed as xiaohongshu_seed
from pytest_mcpbench.simulated.xiaohongshu import server as xiaohongshu
from tests.shared_data import shared_file
from tests.simulated.service import Service, collections

APPS = {
    "lark_mcp": lark.SIMULATION,
    "slack": slack.SIMULATION,
    "wecome": wecom.SIMULATION,
    "telegram": telegram.SIMULATION,
    "discord": discord.SIMULATION,
    "gmail": gmail.SIMULATION,
    "instagram": instagram.SIMULATION,
    "notion": notion.SIMULATION,
    "obsidian": obsidian.SIMULATION,
    "reddit": reddit.SIMULATION,
    "universal_email": universal_email.SIMULATION,
    "xiaohongshu": xiaohongshu.SIMULATION,
}
ALIASES = {"feishu": "lark_mcp", "wecom": "wecome"}
POST = next(each for each in reddit_seed.seed()["posts"].values() if not (each["locked"] or each["archived"]))
COMMENT = next(key for each in instagram_seed.seed()["media"].values() for key in each["comments"])
NOTE = next(iter(xiaohongshu_seed.seed()["feeds"].values()))
PAGE = next(iter(notion_seed.seed()["pages"]))
WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "lark_mcp": (
        "im_v1_message_create",
        {
            "params": {"receive_id_type": "email"},
            "data": {"receive_id": "mei.zhao@northlight.example", "msg_type": "text", "content": '{"text": "Hi"}'},
        },
    ),
    "slack": ("send_message", {"channel": "general", "text": "Hi"}),
    "wecome": ("send_text", {"content": "Hi"}),
    "telegram": ("send_message", {"chat_id": "nina_berg", "message": "Hi"}),
    "discord": ("send_private_message", {"userId": CAST.person("nina.berg").discord_id, "message": "Hi"}),
    "gmail": ("draft_email", {"to": ["nina.berg@post.example"], "subject": "Hi", "body": "Hi"}),
    "instagram": ("reply_to_comment", {"ig_comment_id": COMMENT, "message": "Hi"}),
    "notion": ("notion_create_comment", {"parent": {"page_id": PAGE}, "rich_text": [{"text": {"content": "Hi"}}]}),
    "obsidian": ("obsidian_append_content", {"filepath": "Hi.md", "content": "Hi"}),
    "reddit": ("post_reddit_comment", {"thing_id": POST["name"], "text": "Hi"}),
    "universal_email": ("send_email", {"to": ["mei.zhao@northlight.example"], "subject": "Hi", "text": "Hi"}),
    "xiaohongshu": (
        "post_comment_to_feed",
        {"feed_id": NOTE["id"], "xsec_token": NOTE["xsec_token"], "content": "Hi"},
    ),
}

each_app = pytest.mark.parametrize(("name", "simulation"), APPS.items(), ids=APPS)


@each_app
def test_a_world_has_at_least_200_entities(name: str, simulation: Simulation) -> None:
    assert sum(collections(Service(simulation).state.tree).values()) >= 200, name


@pytest.mark.parametrize("name", [name for name in APPS if name not in ("telegram", "discord", "gmail")])
def test_the_tools_are_those_of_mcp_persona(name: str) -> None:
    tools = json.loads(shared_file("persona/persona_tools.json").read_text())["simulated_tools_by_server"]
    assert list(APPS[name].table) == tools[name]


@each_app
def test_every_tool_and_parameter_is_described(name: str, simulation: Simulation) -> None:
    for tool in simulation.table.values():
        assert tool.description
        for parameter, schema in tool.input_schema["properties"].items():
            described = schema.get("description") or f"{parameter}:" in tool.description
            assert described, f"{name}: {tool.name}.{parameter}"


def test_the_same_people_are_in_every_app() -> None:
    trees = {name: Service(simulation).state.tree for name, simulation in APPS.items()}
    for person in CAST.colleagues:
        assert trees["lark_mcp"].get(f"users[{person.lark_user_id}].email") == person.email
        assert trees["slack"].get(f"users[{person.slack_id}].profile.email") == person.email
        if person.chinese_name:
            assert trees["wecome"].get(f"members[{person.wecom_id}].email") == person.email
    for person in (*CAST.friends, *CAST.clients):
        assert trees["telegram"].get(f"users[{person.telegram_id}].username") == person.handle
    for person in CAST.colleagues:
        assert trees["notion"].get(f"users[{notion_seed.user_id(person)}].person.email") == person.email
        if person is not CAST.me:
            assert person.email in trees["obsidian"].get(f"notes[People/{person.name}.md].content")
        if person.chinese_name:
            user = trees["xiaohongshu"].get(f"users[{xiaohongshu_seed.user_id(person)}]")
            assert user["nickname"] == person.local_name
    senders = {each["from"] for each in trees["gmail"].list("messages")}
    nina = CAST.person("nina.berg")
    assert f"{nina.name} <{nina.private_email}>" in senders
    conversations = trees["instagram"].list("conversations")
    assert nina.handle in {each["username"] for talk in conversations for each in talk["participants"]}
    assert nina.handle in {each["author"] for each in trees["reddit"].list("posts")}
    inbox = trees["universal_email"].list(f"accounts[{CAST.me.email}].inbox")
    assert '"Mei Zhao" <mei.zhao@northlight.example>' in {each["from"] for each in inbox}
    assert trees["discord"].get(f"users[{nina.discord_id}].username") == nina.handle


@pytest.mark.anyio
@pytest.mark.parametrize("name", [*APPS, *ALIASES])
async def test_a_server_writes_and_shows_its_world_the_same_each_time(name: str) -> None:
    tool, arguments = WRITES[ALIASES.get(name, name)]

    async def played() -> tuple[str, str, str]:
        async with Client(build_server(name, world("app"))) as client:
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error
            before = await client.read_resource("mcpbench://world/before")
            after = await client.read_resource("mcpbench://world")
        return answer.model_dump_json(), before.model_dump_json(), after.model_dump_json()

    first = await played()
    assert first == await played()
    assert first[1].replace("/before", "") != first[2]


@pytest.mark.anyio
@each_app
async def test_a_refused_call_is_flagged(name: str, simulation: Simulation) -> None:
    async with Client(simulation.server(world(name))) as client:
        answer = await client.call_tool(WRITES[name][0], {"nonsense": 1})
    assert answer.is_error


@each_app
def test_attempts_do_not_see_each_other(name: str, simulation: Simulation) -> None:
    tool, arguments = WRITES[name]
    first, second = Service(simulation), Service(simulation)
    first.call(tool, **arguments)
    second.state  # noqa: B018 (opens the world)
    assert (len(first.changes()), second.changes()) == (1, ())
