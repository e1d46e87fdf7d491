"""Public tasks of MCP-Atlas on replayed servers, whose tools have no description."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.core.score import floors_of
from pytest_mcpbench.suite_files.discovery import shipped_directory
from pytest_mcpbench.suite_files.loading import KnownNames, LoadedSuite, load_suite

CALL = {"id": "a", "type": "function", "function": {"name": "git_git_log", "arguments": "{}"}}
TRAJECTORY = [
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": "3"},
]
SHIPPED = shipped_directory() / "atlas" / "suite.toml"


def _load(directory: Path, file: str) -> LoadedSuite:
    row = {
        "TASK": "one",
        "ENABLED_TOOLS": ["git_git_log", "exa_search"],
        "PROMPT": "How many commits?",
        "GTFA_CLAIMS": ["There are 3."],
        "TRAJECTORY": TRAJECTORY,
    }
    (directory / file).write_text(json.dumps([row]), encoding="utf-8")
    return load_suite(SHIPPED, {}, KnownNames(data=directory))


@pytest.mark.parametrize("file", ["sample_tasks.csv", "public_split.csv", "public_split_v2.csv"])
def test_the_public_files_are_found_and_their_tasks_marked_and_without_a_verdict(tmp_path: Path, file: str) -> None:
    suite = _load(tmp_path, file)
    (task,) = suite.tasks
    assert "undescribed" in task.tags
    assert floors_of(task, suite.manifest) == {"coverage": 0.0, "tools_described": 1.0}


def test_the_suites_own_tasks_are_not_marked() -> None:
    suite = load_suite(SHIPPED, {})
    assert [task.id for task in suite.tasks if "undescribed" in task.tags] == []


def test_a_real_server_without_its_key_is_replayed_with_a_warning(tmp_path: Path) -> None:
    server = {"command": "nothing", "env": {"KEY": "${NO_SUCH_KEY}"}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"git": server}}), encoding="utf-8")
    suite = _load(tmp_path, "sample_tasks.csv")
    assert suite.manifest.servers["git"].transport == "in_process"
    assert suite.manifest.warnings == (
        "replayed, because they cannot be started: git (environment variable not set: NO_SUCH_KEY)",
    )
    assert "undescribed" in suite.tasks[0].tags


def test_a_task_whose_reference_calls_a_real_server_has_a_verdict(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"git": {"command": "x"}}}), encoding="utf-8")
    suite = _load(tmp_path, "sample_tasks.csv")
    assert {name: server.transport for name, server in suite.manifest.servers.items()} == {
        "git": "stdio",
        "exa": "in_process",
    }
    assert "undescribed" not in suite.tasks[0].tags
    assert floors_of(suite.tasks[0], suite.manifest) == {"coverage": 0.75}
