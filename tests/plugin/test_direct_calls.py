"""Direct calls of tools: the commands ``tools`` and ``call``."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main

NOTES = "fixtures.notes_server:server"


def test_tools_lists_parameters_with_their_types(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", NOTES]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0].endswith(": 2 tools")
    assert lines[2:6] == [
        "add_note",
        "Write a new note down.",
        "- title: string, required",
        '- text: string, default ""',
    ]


def test_tools_writes_the_answer_of_each_server_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "--json", NOTES]) == 0
    (tools,) = json.loads(capsys.readouterr().out).values()
    assert [tool["name"] for tool in tools] == ["add_note", "read_note"]


def test_a_server_at_a_url_needs_no_file_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.mcpbench.yaml").write_text("server: {nope: 1}\ntasks:\n  - ask: Hello.\n", encoding="utf-8")
    assert main(["tools", "http://127.0.0.1:9/mcp"]) == 2
    assert "broken.mcpbench.yaml" not in capsys.readouterr().err


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "code", "output"),
    [
        pytest.param(["read_note", "title=Shopping"], 0, "milk, eggs\n", id="a result"),
        pytest.param(["read_note", "--arguments", '{"title": "Shopping"}'], 0, "milk, eggs\n", id="JSON"),
        pytest.param(["add_note", "title=7", "text={}"], 0, "added n2\n", id="text stays text"),
        pytest.param(["read_note", "title=Other"], 1, "no note is called 'Other'", id="an error of the tool"),
        pytest.param(["read_notes", "title=x"], 2, "has no tool 'read_notes'. Did you mean 'read_note'?", id="no tool"),
        pytest.param(["read_note", "titel=x"], 2, "has no parameter 'titel'. Did you mean 'title'?", id="no parameter"),
        pytest.param(["read_note", "title"], 2, "'title' is not NAME=VALUE", id="no value"),
        pytest.param(["read_note", "--arguments", "[]"], 2, "--arguments must be a JSON object", id="no object"),
    ],
)
def test_call_prints_the_result_and_tells_of_errors_by_its_exit_code(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, output: str
) -> None:
    assert main(["call", NOTES, *arguments]) == code
    captured = capsys.readouterr()
    assert output in (captured.err if code == 2 else captured.out)


def test_the_server_can_be_omitted_if_one_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    task_file = Path("notes.mcpbench.yaml")
    task_file.write_text(f"server: {NOTES}\ntasks:\n  - ask: Hello.\n    answer: Hi\n", encoding="utf-8")
    assert main(["call", "read_note", "title=Shopping"]) == 0
    task_file.with_name("shop.mcpbench.yaml").write_text(
        "server: fixtures.shop_server:server\ntasks:\n  - ask: Hello.\n    answer: Hi\n", encoding="utf-8"
    )
    assert main(["call", "read_note", "title=Shopping"]) == 2
    assert "name one before the tool." in capsys.readouterr().err
