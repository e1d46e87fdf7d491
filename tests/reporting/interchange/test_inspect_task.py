"""A suite as a task of Inspect: what is written, and what Inspect makes of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.suite_files.discovery import installed_name, shipped_directory
from tests.servers.subjects import INSTALLED, REPOSITORY

INSPECT = INSTALLED / "inspect" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
SUITE = """\
name = "my-notes"
[[files]]
path = "tasks.yaml"
[servers.notes]
factory = "fixtures.notes_server:server"
[sample]
size = 2
"""
TASKS = """\
- id: right
  ask: What does the note "Shopping" say?
  tool: read_note
  arguments: {title: Shopping}
- id: wrong
  ask: Write a new note down, titled "Idea".
  tool: add_note
  arguments: {title: Idea}
- id: undecided
  ask: Is the shopping done by now?
  expected: {claims: [Nobody has bought anything so far.]}
- id: error
  ask: What is the longest note?
  tool: read_note
  arguments: {title: Shopping}
"""
REPLIES = {
    "right": [{"function": "read_note", "arguments": {"title": "Shopping"}}, "Milk and eggs."],
    "wrong": [{"function": "add_note", "arguments": {"title": "Ideas"}}, "Written."],
    "undecided": ["It rather looks as if the bags were still empty."],
    "error": [""],
}
"""Messages of the model by task: calls and texts."""
EVALUATION = f"""
import json, sys
sys.path.append({str(INSPECT)!r})
from inspect_ai import eval
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

module, replies = sys.argv[1], json.loads(sys.argv[2])
task_of = {{sample.input: sample.id for sample in json_dataset(module.replace(".py", ".jsonl"))}}
seen = {{}}

def reply(messages, tools, choice, config):
    task = next(task_of[message.text] for message in messages if message.role == "user")
    seen[task] = [message.text for message in messages]
    said = replies[task][sum(message.role == "assistant" for message in messages)]
    calls = None if isinstance(said, str) else [ToolCall(id="1", **said)]
    message = ChatMessageAssistant(content=said if calls is None else "", tool_calls=calls)
    output = ModelOutput.from_message(message)
    output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
    return output

def evaluate(**limits):
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = eval(module, model=model, log_dir="logs", display="none", **limits)
    scores = {{one.id: one.scores["verdict"].model_dump() for one in log.samples if one.scores}}
    return [
        {{task: [score["value"], score["explanation"]] for task, score in scores.items()}},
        {{one.id: one.error.message for one in log.samples if one.error}},
        [log.status, {{name: metric.value for name, metric in log.results.scores[0].metrics.items()}}],
    ]

print(json.dumps([evaluate(), seen["right"], evaluate(token_limit=5)]).replace("NaN", "null"))
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "suite.toml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "notes" / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "notes"


def exported(suite: str) -> list[dict[str, object]]:
    assert main(["export", suite, "--format", "inspect-task", "--out", "inspect"]) == 0
    (dataset,) = Path("inspect").glob("*.jsonl")
    return [json.loads(line) for line in dataset.read_text(encoding="utf-8").splitlines()]


def test_a_suite_of_the_project_is_named_relative_to_the_module(suite: Path) -> None:
    samples = exported("notes:full")
    assert [sample["id"] for sample in samples] == ["right", "wrong", "undecided", "error"]
    assert samples[0]["target"] == ["read_note(title='Shopping')"]
    module = Path("inspect/suite_my_notes.py").read_text(encoding="utf-8")
    assert "def suite_my_notes(" in module
    assert 'suite="../notes/suite.toml", root=".."' in module


def test_a_suite_that_ships_has_its_name(suite: Path) -> None:
    assert installed_name(shipped_directory() / "atlas" / "suite.toml") == "atlas"
    assert installed_name(suite / "suite.toml") is None


def test_of_a_suite_with_a_sample_it_is_written(suite: Path) -> None:
    assert len(exported("notes")) == 2


@pytest.mark.extra
@pytest.mark.isolated
@pytest.mark.skipif(not INSPECT.exists(), reason=f"{INSPECT} is missing; .ci/setup installs it")
def test_inspect_gives_the_verdicts_of_a_run(suite: Path) -> None:
    exported("notes:full")
    done = subprocess.run(
        [sys.executable, "-c", EVALUATION, "inspect/suite_my_notes.py", json.dumps(REPLIES)],
        capture_output=True,
        check=True,
        timeout=300,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin", "HOME": str(suite)},
    )
    (scores, errors, results), messages, (limited, _, _) = json.loads(done.stdout.splitlines()[-1])
    assert {task: value for task, (value, _) in scores.items()} == {"right": "C", "wrong": "I", "undecided": None}
    assert scores["wrong"][1] == "ast: no call of add_note(title='Idea'); call 1: title: expected 'Idea', got 'Ideas'"
    assert scores["undecided"][1].startswith("coverage: judge 'keyfacts' gave no verdict for 'Nobody has bought")
    assert "its first reply has neither text nor a call" in errors.pop("error")
    assert not errors
    assert results == ["success", {"accuracy": 0.5, "stderr": 0.5}]
    assert messages == ['What does the note "Shopping" say?', "", "milk, eggs"]
    # What Inspect's own limits end has no verdict either.
    assert {value for value, _ in limited.values()} == {None}
