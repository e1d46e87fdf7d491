"""Pipeline ``dialogue``: a model plays the user, and the conversation becomes a task."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.cli.command_line import main
from tests.generation.made_suites import passes

FIRST, SECOND = "Which orders are there?", "And what about the lamp, A17?"
SATISFIED = "Thanks. ###DONE###"


def _script(**changes: Any) -> dict[str, list[Any]]:
    """Replies by a text in the last message: of the planner, of both sides of the conversation, and of the check."""
    replies: dict[str, list[Any]] = {
        "Person:": ['{"is_addressed": true}'],
        "Tools of the assistant:": [json.dumps({"goal": "See all orders, then the lamp's.", "opening": FIRST})],
        FIRST: [{"calls": [{"name": "list_orders", "arguments": {}}]}, "There are A17, B20 and C03."],
        "There are A17": [SECOND],
        SECOND: [{"calls": [{"name": "get_order", "arguments": {"order_id": "A17"}}]}, "The lamp is shipped."],
        "The lamp is shipped.": [SATISFIED],
    }
    return replies | changes


def generate(script: dict[str, list[Any]], pipeline: str = "dialogue") -> int:
    Path("model.json").write_text(json.dumps(script))
    options = ("--pipeline", pipeline, "--model", "scripted:model.json", "--tasks", "1", "--out", "mine", "--yes")
    return main(["generate", "--server", "shop=fixtures.shop_server:server", *options])


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_conversation_becomes_a_task_whose_turns_see_the_recorded_replies(project: Path) -> None:
    assert generate(_script()) == 0
    (task,) = [json.loads(line) for line in (project / "mine/tasks.jsonl").read_text().splitlines()]
    assert [turn["user"] for turn in task["turns"]] == [FIRST, SECOND]
    assert [[call["tool"] for step in turn["calls"] for call in step] for turn in task["turns"]] == [
        ["list_orders"],
        ["get_order"],
    ]
    assert task["turns"][0]["gold"][-1] == {"role": "assistant", "text": "There are A17, B20 and C03."}
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True]
    assert anyio.run(passes, project / "mine", NoopAgent()) == [False]


@pytest.mark.extra
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"There are A17": [SATISFIED]}, "the conversation has one turn"),
        ({"There are A17": ["###GIVE UP###"]}, "the user gave up"),
        (
            {"There are A17": ["Assistant: A17."], "plays the assistant": ["Assistant: A17."] * 9},
            "the model does not play the user",
        ),
        ({FIRST: ["There are A17."], SECOND: ["The lamp is shipped."]}, "the assistant calls no tool"),
        ({"Person:": ['{"is_addressed": false, "reason": "no lamp"}']}, "a request of the user was not addressed"),
    ],
)
def test_a_conversation_that_shows_nothing_is_dropped(project: Path, changes: dict[str, Any], reason: str) -> None:
    assert generate(_script(**changes)) == 1
    assert reason in "".join(file.read_text() for file in (project / "mine.work").glob("*.dropped.jsonl"))


def test_the_person_can_be_a_user_who_answers_while_the_test_runs(project: Path) -> None:
    assert generate(_script(), "live_dialogue") == 0
    assert 'user = "scripted:model.json"' in (project / "mine/suite.toml").read_text()
    (task,) = [json.loads(line) for line in (project / "mine/tasks.jsonl").read_text().splitlines()]
    assert (task["ask"], task["user"]["goal"]) == (FIRST, "See all orders, then the lamp's.")
    assert [rule.get("reply", rule.get("end")) for rule in task["user"]["script"]] == [SECOND, "satisfied"]
    assert [group["turn"] for group in task["calls"]] == [0, 1]
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True]
    assert anyio.run(passes, project / "mine", NoopAgent()) == [False]


def test_personas_are_a_list_of_texts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "people.yaml").write_text("name: Ann")
    arguments = ["--pipeline", "dialogue", "--model", "scripted:model.json", "--input", "people.yaml", "--out", "mine"]
    (project / "model.json").write_text("[]")
    assert main(["generate", "--server", "shop=fixtures.shop_server:server", *arguments, "--yes"]) == 2
    assert "people.yaml: the file must be a list of texts" in capsys.readouterr().err
