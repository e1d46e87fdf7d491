"""The latest run of a project is found, and the attempts of a task in it."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.runs.lookup import attempts_of_task, find_run, remember_run
from pytest_mcpbench.runs.records import RecordWriter


def a_run(directory: Path, *tasks: str, time: int = 0, **fields: object) -> Path:
    with closing(RecordWriter(directory, worker="main")) as writer:
        for task in tasks or ("t",):
            made = {"suite": "s", "task_id": task, "task_hash": "h", "model": "m", "outcome": "passed", **fields}
            writer.append(RunRecord.model_validate(made))
    os.utime(directory / "records-main.jsonl", (time, time))
    return directory


def test_the_last_run_is_the_one_with_the_latest_record_wherever_it_is(tmp_path: Path) -> None:
    runs = tmp_path / ".mcpbench" / "runs"
    first, second = a_run(runs / "b", time=1), a_run(runs / "a", time=2)
    (runs / "empty").mkdir()
    below = tmp_path / "tests"
    below.mkdir()
    assert find_run("last", below) == second
    elsewhere = a_run(tmp_path / "out", time=3)
    remember_run(elsewhere, tmp_path)
    assert find_run("last", below) == elsewhere
    a_run(first, time=4)
    assert find_run("last", below) == first


def test_a_run_is_remembered_below_a_directory_whose_name_is_no_text(tmp_path: Path) -> None:
    project = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        project.mkdir()
    except OSError:
        pytest.skip("the file system has names of UTF-8 only")
    elsewhere = a_run(project / "out", time=3)
    remember_run(elsewhere, project)
    assert find_run("last", project) == elsewhere


def test_git_ignores_what_runs_write_unless_the_project_decides_otherwise(tmp_path: Path) -> None:
    remember_run(tmp_path / "out", tmp_path)
    ignored = tmp_path / ".mcpbench" / ".gitignore"
    assert ignored.read_text(encoding="utf-8") == "*\n"
    ignored.write_text("runs\n", encoding="utf-8")
    remember_run(tmp_path / "out", tmp_path)
    assert ignored.read_text(encoding="utf-8") == "runs\n"


def test_a_directory_called_last_is_that_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_run(tmp_path / "last")
    monkeypatch.chdir(tmp_path)
    assert find_run("last") == Path("last")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda _path: None, "no run is stored in .mcpbench of"),
        (lambda path: remember_run(path / "gone", path), "no run is stored in .mcpbench of"),
    ],
    ids=["nothing", "removed"],
)
def test_without_a_run_the_directory_must_be_named(make: Callable[[Path], None], problem: str, tmp_path: Path) -> None:
    (tmp_path / ".mcpbench").mkdir()
    make(tmp_path)
    with pytest.raises(McpBenchError, match=problem):
        find_run("last", tmp_path)


def test_of_an_attempt_with_several_records_the_last_is_found(tmp_path: Path) -> None:
    a_run(tmp_path, "a", "ab", outcome="error")
    a_run(tmp_path, "a", trial=2)
    a_run(tmp_path, "a", "b")
    found = attempts_of_task(tmp_path, "a")
    assert [(record.task_id, record.trial, record.outcome) for record in found] == [
        ("a", 1, "passed"),
        ("a", 2, "passed"),
    ]
