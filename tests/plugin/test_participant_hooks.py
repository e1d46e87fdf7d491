"""Judges, dispatchers, users and clients that a ``conftest.py`` makes, as the page on hooks shows them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs/reference/fixtures-and-hooks.md").read_text(encoding="utf-8")
CONFTEST = next(block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "make_judge" in block)
TASKS = """
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - {id: said, ask: "Say it.", claims: ["The cat sat."], answer: "The cat sat.", floors: {coverage: 1}}
  - {id: talk, ask: "Hello.", user: {goal: "Have a note written."}, answer: "Done."}
"""


@pytest.fixture
def hooked(project: pytest.Pytester) -> pytest.Pytester:
    (project.path / "notes.mcpbench.yaml").write_text(TASKS, encoding="utf-8")
    project.makeconftest(CONFTEST)
    return project


def records(project: pytest.Pytester) -> dict[str, dict[str, Any]]:
    files = (project.path / "out").glob("records-*.jsonl")
    made = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {record["task_id"]: record for record in made}


@pytest.mark.extra
@pytest.mark.parametrize("processes", [(), ("-n1",)], ids=["one process", "a worker"])
def test_a_conftest_adds_a_judge_a_dispatcher_and_a_user(hooked: pytest.Pytester, processes: tuple[str, ...]) -> None:
    named = ("--mcpbench-judge=exact", "--mcpbench-dispatcher=shortest", "--mcpbench-user=polite")
    hooked.runpytest_inprocess("--model=oracle", *named, "--mcpbench-top-k=1", "--mcpbench-out=out", *processes)
    made = records(hooked)
    (verdict,) = made["said"]["run"]["verdicts"].values()
    assert (made["said"]["outcome"], verdict["judge"], verdict["label"]) == ("passed", "exact", "fulfilled")
    assert verdict["judge_digest"], "the judge's identity is in its verdicts"
    assert len(made["said"]["run"]["tools"]) == 1
    said = [message["text"] for message in made["talk"]["run"]["trajectory"]["conversation"]["messages"]]
    assert said[:2] == ["Hello.", "Yes, please."]


def test_a_judge_of_a_hook_may_follow_the_rules_and_sit_in_a_panel(hooked: pytest.Pytester) -> None:
    for judge in ("keyfacts+exact", "keyfacts,exact"):
        hooked.runpytest_inprocess("--model=oracle", "-k", "said", f"--mcpbench-judge={judge}", "--mcpbench-out=out")
        assert records(hooked)["said"]["outcome"] == "passed"


def test_a_judge_of_a_hook_can_fail_an_attempt(hooked: pytest.Pytester) -> None:
    hooked.runpytest_inprocess("--model=noop", "-k", "said", "--mcpbench-judge=exact", "--mcpbench-out=out")
    assert records(hooked)["said"]["outcome"] == "failed"


def test_a_hook_makes_the_profile_of_a_client(hooked: pytest.Pytester) -> None:
    hooked.runpytest_inprocess("--model=oracle", "-k", "said", "--mcpbench-client=ours", "--mcpbench-out=out")
    (tool, *_) = records(hooked)["said"]["run"]["tools"]
    assert tool["description"].startswith("Write a new note dow…")


@pytest.mark.parametrize("option", ["judge", "dispatcher", "user", "client"])
def test_a_name_that_no_hook_makes_is_still_an_error(hooked: pytest.Pytester, option: str) -> None:
    result = hooked.runpytest_inprocess("--model=oracle", f"--mcpbench-{option}=nobody")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "nobody" in result.stderr.str()
