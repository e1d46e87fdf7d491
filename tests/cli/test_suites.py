"""Commands that play a suite name each record and file that cannot be read once, and say so with their exit codes."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main

TASKS = ({"id": "a", "ask": "Where is it?", "answer": "here"}, {"id": "b", "ask": "Find it.", "wrong\x1b[31m": 1})
PLAY = (["audit", "."], ["item-analysis", ".", "--trials=2"], ["review", ".", "--play", "--out=page.html"])
"""Commands that play every task."""


@pytest.fixture(autouse=True)
def suite(pytester: pytest.Pytester) -> None:
    """Write a suite with one record that cannot be read."""
    Path("tasks.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in TASKS), encoding="utf-8")
    Path("suite.toml").write_text('files = ["tasks.jsonl"]\n', encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [*((command, 1) for command in PLAY), (["audit", ".", "--task=a"], 0), (["stats", "."], 0)],
)
def test_a_record_that_cannot_be_read_is_named_without_its_control_characters(
    arguments: list[str], exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == exit_code
    (problem,) = capsys.readouterr().err.splitlines()
    assert problem.startswith("mcpbench: tasks.jsonl:2: wrong")
    assert "\x1b" not in problem


@pytest.mark.parametrize(("arguments", "exit_code"), [*((command, 2) for command in PLAY), (["stats", "."], 0)])
def test_a_file_that_cannot_be_read_is_named_once(
    arguments: list[str], exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tasks.jsonl").write_text(f"{json.dumps(TASKS[0])}\n", encoding="utf-8")
    Path("suite.toml").write_text('files = ["tasks.jsonl", "missing.jsonl"]\n', encoding="utf-8")
    assert main(arguments) == exit_code
    (problem,) = capsys.readouterr().err.splitlines()
    assert "missing.jsonl: the file does not exist." in problem


def test_a_chosen_task_that_cannot_be_read_is_not_called_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", ".", "--task=b"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("mcpbench: the task 'b' of the suite")
