"""``mcpbench stats`` reads every suite that the plugin reads, and names what it leaves out."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.reporting.papers.task_sizes import size_of
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import load_suite

TASKS = "server: python server.py\ntasks:\n  - id: a\n    ask: Say it.\n    calls: [say]\n"


def test_a_task_file_and_its_directory_have_the_same_statistics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.mcpbench.yaml"
    file.write_text(TASKS)
    assert main(["stats", str(file), "--format", "json"]) == 0
    of_file = json.loads(capsys.readouterr().out)
    assert main(["stats", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == of_file
    assert [(task["id"], task["calls"]) for task in of_file["tasks"]] == [("a", 1)]


def test_a_record_that_cannot_be_read_is_named_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mcpbench.yaml"
    file.write_text(f"{TASKS}  - id: b\n    ask: Say it.\n    wrong: 1\n")
    assert main(["stats", str(file)]) == 0
    shown = capsys.readouterr()
    assert "records that cannot be read and are left out: 1" in shown.out
    assert "wrong" in shown.err


def test_histograms_are_files_with_a_chart_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.mcpbench.yaml"
    file.write_text(TASKS)
    assert main(["stats", str(file), "--format", "svg"]) == 2
    assert main(["stats", str(file), "--format", "svg", "--out", str(tmp_path / "charts")]) == 0
    written = sorted(path.name for path in (tmp_path / "charts").iterdir())
    assert [name.rpartition("-")[2] for name in written] == [
        "calls.svg",
        "steps.svg",
        "tokens.svg",
        "tools.svg",
        "turns.svg",
    ]
    assert (tmp_path / "charts" / written[0]).read_text().startswith("<?xml")
    assert capsys.readouterr().err.startswith("mcpbench: name a directory")


def test_the_kinds_of_finmcp_are_those_that_its_records_state() -> None:
    tasks = load_suite(find_suite("finmcp", Path.cwd()), {}).tasks
    assert [size_of(task).kind for task in tasks] == [task.tags["kind"] for task in tasks]
