"""The public file_system tasks of MCPToolBench++ on the real server, with a fresh copy of their fixture for each."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.servers.subjects import npm
from tests.shared_data import shared_file
from tests.suites.oracle_runs import records_of_run, run_oracle

SUITE = """
metrics = ["tool_success"]
floors = {{ ast = 1.0 }}
[[files]]
path = {tasks}
loader = "toolbench"
options = {{ files = "fixture" }}
[servers.filesystem]
command = {command}
arguments = {arguments}
"""

TASKS, MADE = 80, 72
"""Tasks that are drawn from all 241, and those of them whose reference does not fail on the fixture (of all: 225)."""


@pytest.mark.extra
@pytest.mark.npm
def test_every_label_is_matched_and_those_that_the_fixture_allows_succeed(tmp_path: Path) -> None:
    server = npm("server-filesystem", ".", name="filesystem")
    shutil.copytree(shared_file("toolbench/file_system/test_project_root"), tmp_path / "fixture" / "test_project_root")
    tasks = shared_file("toolbench/file_system/filesystem_0723_single.json")
    written = {"tasks": str(tasks), "command": server.command, "arguments": list(server.arguments)}
    suite = SUITE.format(**{name: json.dumps(value) for name, value in written.items()})
    (tmp_path / "suite.toml").write_text(suite, encoding="utf-8")
    records = _records(tmp_path)
    made = [record for record in records if record["outcome"] != "error"]
    successes = [record["scorecard"]["scores"]["tool_success"]["counts"] for record in made]
    assert (len(records), len(made)) == (TASKS, MADE)
    assert [record["task_id"] for record in made if record["scorecard"]["scores"]["ast"]["value"] != 1] == []
    assert (sum(each["part"] for each in successes), sum(each["whole"] for each in successes)) == (MADE, MADE)


def _records(directory: Path) -> list[dict[str, Any]]:
    allowed = f"--mcpbench-allow-path={shared_file('toolbench')}"
    options = ("--mcpbench-concurrency=8", f"--mcpbench-sample={TASKS}", allowed)
    run = run_oracle(directory, *options, timeout_seconds=300)
    assert f"{MADE} passed, " in run.stdout, run.stdout[-3000:]
    return records_of_run(directory)
