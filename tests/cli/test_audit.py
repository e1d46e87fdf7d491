"""``mcpbench audit --right``: variants that a model writes, and paths of another attempt's sandbox."""

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, Script, chat_server, fails, says
from pytest_mcpbench.cli.command_line import main


def _rewords(body: dict[str, Any]) -> Answer:
    text = body["messages"][-1]["content"]
    return says(f"<think>It says {text}</think>75,600 euros of the budget are left.")


def _reverses(body: dict[str, Any]) -> Answer:
    return says(body["messages"][-1]["content"].replace("left", "used"))


def _outcomes(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    path = tmp_path / "outcomes.jsonl"
    assert main(["audit", *arguments, "--right", f"--json={path}"]) == 0
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("script", "fate", "detail"),
    [
        pytest.param(_rewords, "unscored", "", id="other words"),
        pytest.param(_reverses, "failed", "'used' stands in the place of 'left'", id="another meaning"),
        pytest.param(lambda _: says("<think>Hm.</think>"), "error", "the model wrote nothing", id="nothing"),
        pytest.param(
            lambda _: fails(400, "no such model"), "error", "answered 400: no such model", id="a model that fails"
        ),
    ],
)
def test_the_words_of_a_model_are_played(tmp_path: Path, script: Script, fate: str, detail: str) -> None:
    with chat_server(script) as server:
        chosen = ("--task=single-60", "--kind=text_by_model")
        outcomes = _outcomes(tmp_path, "persona:full", f"--model={server.url}#writer", *chosen)
    (outcome,) = [each for each in outcomes if each["description"] == "text"]
    assert (outcome["kind"], outcome["fate"]) == ("text_by_model", fate)
    assert detail in outcome["detail"]


def test_a_model_is_asked_for_the_chosen_kind_only_and_an_unchanged_text_is_no_variant(tmp_path: Path) -> None:
    with chat_server(lambda body: says(body["messages"][-1]["content"])) as server:
        chosen = ("--task=couriers", "--kind=answer_by_model")
        assert _outcomes(tmp_path, "atlas:full", f"--model={server.url}#writer", *chosen) == []
    (request,) = server.bodies
    assert "Yuki Tanabe" in request["messages"][-1]["content"]


def test_the_paths_of_a_reference_lie_in_the_sandbox_of_each_variant(tmp_path: Path) -> None:
    outcomes = _outcomes(tmp_path, "toolbench:full", "--kind=default_stated", "--task=filesystem-058")
    assert {outcome["fate"] for outcome in outcomes} == {"passed"}
