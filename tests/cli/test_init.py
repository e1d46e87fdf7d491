"""``mcpbench init``: the files that a project begins with work at once and promise nothing that was not tried."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench.cli import main
from tests.workflows.shell_steps import Runner

SERVER = "fixtures.servers.defined:server"
TASKS = Path("fixtures_servers_defined_server.mcpbench.yaml")
READ_ONLY = {"readOnlyHint": True}


def a_tool(name: str, required: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": required or {}, "required": list(required or {})}
    return {"name": name, "description": f"About {name}. More.", "inputSchema": schema, **fields}


TOOLS = [
    a_tool("list_notes", annotations=READ_ONLY),
    a_tool("read_note", {"note_id": {"type": "string"}}, annotations=READ_ONLY),
    a_tool("convert", {"unit": {"enum": ["km", "mile"]}}, annotations=READ_ONLY),
    a_tool("weather", {"city": {"type": "string", "description": "A city, e.g. 'Oslo'."}}, annotations=READ_ONLY),
    a_tool("broken", annotations=READ_ONLY),
    a_tool("search", {"query": {"type": "string", "description": "Words."}}, annotations=READ_ONLY),
    a_tool("delete_all"),
]
RESULTS = {"list_notes": [{"id": "n-7", "title": "Milk"}], "broken": "Error: no network"}


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    Path("tools.json").write_text(json.dumps({"tools": TOOLS, "results": RESULTS}), encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def proposals() -> dict[str, dict[str, Any]]:
    return {task["tool"]: task for task in yaml.safe_load(TASKS.read_text())["tasks"]}


def test_calls_that_were_tried_are_proposals_and_the_others_are_comments(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", SERVER]) == 0
    assert {tool: task.get("arguments", {}) for tool, task in proposals().items()} == {
        "list_notes": {},
        "read_note": {"note_id": "n-7"},
        "convert": {"unit": "km"},
        "weather": {"city": "Oslo"},
    }
    text = TASKS.read_text()
    assert "  # search: no value is known for query.\n" in text
    assert '  #   arguments: {"query": "…"}\n  #   # query: string, Words\n' in text
    assert "  # delete_all: the tool was not called, because it does not promise to be read-only.\n" in text
    assert "  # broken: " in text
    assert "4 of 7 proposals pass" in capsys.readouterr().out


def test_proposals_are_skipped_by_every_agent_but_oracle(project: pytest.Pytester) -> None:
    assert main(["init", SERVER]) == 0
    project.runpytest_inprocess(str(TASKS)).assert_outcomes(skipped=4)
    project.runpytest_inprocess(str(TASKS), "--model=noop").assert_outcomes(skipped=4)
    project.runpytest_inprocess(str(TASKS), "--model=oracle").assert_outcomes(passed=4)
    TASKS.write_text(TASKS.read_text().replace("proposal:", "# proposal:"))
    project.runpytest_inprocess(str(TASKS), "--model=noop").assert_outcomes(failed=4)


def test_lock_lint_and_snapshot_pass_at_once(project: pytest.Pytester) -> None:
    assert main(["init", SERVER]) == 0
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=4 + 3)
    assert main(["lock", "--check"]) == 0
    steps = yaml.safe_load(Path(".github/workflows/mcpbench.yml").read_text())["jobs"]["mcpbench"]["steps"]
    assert Path(steps[-1]["uses"], "action.yml").is_file()


def test_a_tool_is_called_without_a_promise_only_if_it_is_named(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", SERVER, "--call", "delete_al"]) == 2
    assert "--call: the server has no tool 'delete_al'. Did you mean 'delete_all'?" in capsys.readouterr().err
    assert main(["init", SERVER, "--call", "delete_all"]) == 0
    assert "delete_all" in proposals()


def test_existing_files_are_left_as_they_are(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    TASKS.write_text("tasks: []\n")
    Path(".gitlab-ci.yml").write_text("stages: []\n")
    assert main(["init", SERVER]) == 0
    assert TASKS.read_text() == "tasks: []\n"
    assert f"{TASKS}: exists, left as it is" in capsys.readouterr().out
    assert yaml.safe_load(Path("ci/mcpbench.yml").read_text())["mcpbench"]["script"]


def test_the_definition_of_a_client_is_copied_without_its_secrets(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Path(__file__).parents[2] / "fixtures" / "servers" / "odd.py"
    server = {"command": "python", "args": [str(odd), "good"], "env": {"ODD_KEY": "sk-very-secret"}}
    Path("claude.json").write_text(json.dumps({"mcpServers": {"odd": server, "other": server}}))
    assert main(["init", "--mcp-json", "claude.json"]) == 2
    assert "claude.json has 2 servers; name one of: odd, other." in capsys.readouterr().err
    assert main(["init", "odd", "--mcp-json", "claude.json"]) == 0
    assert "mcp.json takes these from the environment: ODD_KEY" in capsys.readouterr().out
    written = [path.read_text() for path in Path().rglob("*") if path.is_file() and path.name != "claude.json"]
    assert not any("sk-very-secret" in text for text in written)
    monkeypatch.setenv("ODD_KEY", "another")
    project.runpytest_inprocess("tools.lock.json", "test_odd_tools.py").assert_outcomes(passed=3)


def test_no_file_repeats_a_secret_that_the_server_shows(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "Pl4nted7f9c2e4b8a1"
    monkeypatch.setenv("NOTES_API_KEY", key)
    tools = [{**tool, "description": f"Uses {key}."} for tool in TOOLS]
    results = {**RESULTS, "list_notes": [{"id": key, "title": "Milk"}]}
    Path("tools.json").write_text(json.dumps({"tools": tools, "results": results}), encoding="utf-8")
    given = {path for path in project.path.rglob("*") if path.is_file()}
    assert main(["init", SERVER]) == 0
    written = {path: path.read_text() for path in project.path.rglob("*") if path.is_file() and path not in given}
    assert any("[secret NOTES_API_KEY]" in text for text in written.values())
    assert not [path.name for path, text in written.items() if key in text]


def test_without_a_server_the_message_says_what_to_name(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(Path.cwd()))
    Path(".cursor").mkdir()
    assert main(["init"]) == 2
    assert 'name the server, such as `mcpbench init "python server.py"`.' in capsys.readouterr().err


@pytest.mark.extra
@pytest.mark.parametrize(
    ("arguments", "exit_code"), [("--model=oracle -k 'list or read'", 0), ("--model=none-such", 4)]
)
def test_the_steps_of_the_action_run_in_a_shell(project: pytest.Pytester, arguments: str, exit_code: int) -> None:
    assert main(["init", SERVER]) == 0
    action = yaml.safe_load(Path(".github/actions/mcpbench/action.yml").read_text())
    inputs = {name: value["default"] for name, value in action["inputs"].items()} | {"arguments": arguments}
    runner = Runner(Path.cwd(), inputs)
    codes = [runner.run(step).exit_code for step in action["runs"]["steps"]]
    assert codes == [exit_code, 0, 0]
    assert Path("mcpbench.md").exists() == (exit_code == 0)
