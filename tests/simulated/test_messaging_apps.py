"""What holds for each of the apps in which people write to each other."""

import json
from typing import Any

import pytest
from mcp import Client

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.discord import server as discord
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.lark import server as lark
from pytest_mcpbench.simulated.serve import made, world
from pytest_mcpbench.simulated.slack import server as slack
from pytest_mcpbench.simulated.telegram import server as telegram
from pytest_mcpbench.simulated.wecom import server as wecom
from tests.shared_data import shared_file
from tests.simulated.service import Service, collections

APPS = {
    "lark_mcp": lark.SIMULATION,
    "slack": slack.SIMULATION,
    "wecome": wecom.SIMULATION,
    "telegram": telegram.SIMULATION,
    "discord": discord.SIMULATION,
}
ALIASES = {"feishu": "lark_mcp", "wecom": "wecome"}
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
}

each_app = pytest.mark.parametrize(("name", "simulation"), APPS.items(), ids=APPS)


@each_app
def test_a_world_has_at_least_200_entities(name: str, simulation: Simulation) -> None:
    assert sum(collections(Service(simulation).state.tree).values()) >= 200, name


@pytest.mark.parametrize("name", ["lark_mcp", "slack", "wecome"])
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
    nina = CAST.person("nina.berg")
    assert trees["discord"].get(f"users[{nina.discord_id}].username") == nina.handle


@pytest.mark.anyio
@pytest.mark.parametrize("name", [*APPS, *ALIASES])
async def test_a_server_writes_and_shows_its_world_the_same_each_time(name: str) -> None:
    tool, arguments = WRITES[ALIASES.get(name, name)]

    async def played() -> tuple[str, str, str]:
        async with Client(made(name, world("app"))) as client:
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
