"""Public tasks of MCP-Atlas on replayed servers, whose tools have no description."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.runtime.suites.discovery import shipped_directory
from pytest_mcpbench.runtime.suites.loading import KnownNames, LoadedSuite, load_suite

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
