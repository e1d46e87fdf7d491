"""Pipeline ``templates``: requests of people, with values of the servers."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.cli.command_line import main
from tests.generation.made_suites import passes

SHOP = ("--server", "shop=fixtures.shop_server:server", "--call", "cancel_order")

TEMPLATES = """
- id: status
  ask: How far is my order <order>?
  calls:
    - get_order: {order_id: <order>}
  values:
    order: {call: {list_orders: {}}, field: order_id}
  answer: <1_result.status>
  combine: true
- id: price
  ask: What does a share of <company> cost?
  calls:
    - get_share_price: {symbol: <company>}
  values:
    company: [KO, MSFT]
  combine: true
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templates.yaml").write_text(TEMPLATES)
    return tmp_path


def generate(*arguments: str) -> int:
    options = ("--pipeline", "templates", "--input", "templates.yaml", "--tasks", "40", "--out", "mine", "--yes")
    return main(["generate", *SHOP, *options, *arguments])


def tasks() -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in map(json.loads, Path("mine/tasks.jsonl").read_text().splitlines())}


def reasons(project: Path) -> str:
    return "".join(file.read_text() for file in (project / "mine.work").glob("*.dropped.jsonl"))


@pytest.mark.extra
def test_templates_are_filled_with_values_of_the_world_and_combined(project: Path) -> None:
    assert generate() == 0
    made = tasks()
    status = {task["calls"][0][0]["arguments"]["order_id"]: task for name, task in made.items() if name[:6] == "status"}
    assert {"A17", "B20", "C03"} == set(status)
    assert (status["A17"]["ask"], status["A17"]["answer"]) == ("How far is my order A17?", {"contains": ["shipped"]})
    combined = [task for name, task in made.items() if "-then-" in name]
    assert len(combined) > 2
    for task in combined:
        (first,), (second,) = task["calls"]
        values = [*first["arguments"].values(), *second["arguments"].values()]
        assert all(value in task["ask"] for value in values)
        assert {first["tool"], second["tool"]} == {"get_order", "get_share_price"}
        (answer,) = task["answer"]["contains"]
        assert answer == status[next(value for value in values if value in status)]["answer"]["contains"][0]
    assert all(anyio.run(passes, project / "mine", OracleAgent()))
    assert not any(anyio.run(passes, project / "mine", NoopAgent()))


@pytest.mark.parametrize(("said", "is_kept"), [("unknown", True), ("It is shipped.", False), ("It is open.", True)])
def test_what_a_model_solves_without_tools_is_dropped(project: Path, said: str, *, is_kept: bool) -> None:
    only = TEMPLATES.partition("- id: price")[0].replace("{call: {list_orders: {}}, field: order_id}", "[A17]")
    (project / "templates.yaml").write_text(only)
    (project / "model.json").write_text(json.dumps([json.dumps({"answer": said})]))
    assert generate("--model", "scripted:model.json") == (0 if is_kept else 1)
    assert ("the model solves the task without tools" in reasons(project)) is not is_kept


@pytest.mark.extra
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("field: order_id", "field: orderid"), "a slot has no value"),
        (("{list_orders: {}}", "{get_order: {order_id: none}}"), "a call for values fails on the server"),
        (("<1_result.status>", "<1_result.stat>"), "a result has no value for the answer"),
        (("{order_id: <order>}", "{order_id: <order>x}"), "the reference fails on the server"),
    ],
)
def test_a_template_that_leads_to_no_task_is_dropped_with_its_reason(
    project: Path, change: tuple[str, str], reason: str
) -> None:
    (project / "templates.yaml").write_text(TEMPLATES.replace(*change).replace("combine: true", "combine: false"))
    assert generate() == 0
    assert {name.partition("-")[0] for name in tasks()} == {"price"}
    assert reason in reasons(project)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEMPLATES.replace("get_order", "get_orders"),
            "templates.yaml:2: no server has a tool 'get_orders'. Did you mean 'get_order'?",
        ),
        (TEMPLATES.replace("ask: How", "question: How"), "templates.yaml:3"),
        ("- [", "templates.yaml:2: not valid YAML"),
    ],
)
def test_a_wrong_file_is_one_sentence_with_its_line(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (project / "templates.yaml").write_text(text)
    assert generate() == 2
    assert message in capsys.readouterr().err


def test_a_tool_of_two_servers_needs_the_name_of_its_server(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = ("--server", "second=fixtures.shop_server:server")
    (project / "templates.yaml").write_text(TEMPLATES)
    assert generate(*twice) == 2
    assert (
        "several servers have a tool 'get_order'. Write second.get_order or shop.get_order." in capsys.readouterr().err
    )
    price = TEMPLATES.partition("- id: price")[2].replace("get_share_price", "second.get_share_price")
    (project / "templates.yaml").write_text(f"- id: price{price}")
    assert generate(*twice, "--work", "named.work") == 0
    assert {call["server"] for task in tasks().values() for (call,) in task["calls"]} == {"second"}
