"""Two task files of one name in different directories are two suites in all that a run leaves."""

import json

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.runs.records import read_facts, read_report

SUITE = """\
servers: {{notes: {{factory: "fixtures.notes_server:server"}}}}
tasks:
  - {{id: one, ask: Write {note}., tool: add_note, arguments: {{title: {note}}}}}
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> pytest.Pytester:
    for directory in ("a", "b"):
        pytester.mkdir(directory)
        (pytester.path / directory / "notes.mcpbench.yaml").write_text(SUITE.format(note=f"{directory}-note"))
    result = pytester.runpytest_inprocess("--model=oracle", "--mcpbench-out=out")
    result.assert_outcomes(passed=2)
    assert "notes (a/notes.mcpbench.yaml)" in result.stdout.str()
    return pytester


def test_they_are_two_suites_in_reports_and_facts(run: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["notes (a/notes.mcpbench.yaml)", "notes (b/notes.mcpbench.yaml)"]
    out = run.path / "out"
    assert sorted(entry.suite for entry in read_report(out).entries) == names
    assert sorted(read_facts(out)["contents"]) == sorted(read_facts(out)["suites"]) == names
    assert main(["report", str(out), "--format", "json"]) == 0
    assert [each["passed"] for each in json.loads(capsys.readouterr().out)["summaries"]] == [1, 1]


def test_a_comparison_knows_the_one_that_an_earlier_run_had(
    run: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    run.runpytest_inprocess("--model=oracle", "--mcpbench-out=before", "a")
    assert main(["compare", str(run.path / "before"), str(run.path / "out"), "--max-worse", "0"]) == 0
    assert main(["compare", str(run.path / "out"), str(run.path / "before"), "--max-worse", "0"]) == 1
    assert "notes (b/notes.mcpbench.yaml), oracle: no task has a verdict in both runs" in " ".join(
        capsys.readouterr().out.split()
    )


def test_they_are_merged_and_rescored_apart(run: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(run.path / "out")
    assert main(["merge", out, "--out", str(run.path / "merged"), "--fail-if-missing"]) == 0
    assert "2 records are in" in capsys.readouterr().err
    assert main(["rescore", out, "--suite", str(run.path / "a" / "notes.mcpbench.yaml")]) == 0
    shown = capsys.readouterr().out
    assert "left as they were, for they are not in the suite: one" in shown
    assert "another version of the task" not in shown


def test_they_are_merged_from_two_runs(run: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    for directory in ("a", "b"):
        run.runpytest_inprocess("--model=oracle", f"--mcpbench-out=out-{directory}", directory)
    runs = [str(run.path / f"out-{directory}") for directory in ("a", "b")]
    assert main(["merge", *runs, "--out", str(run.path / "merged"), "--fail-if-missing"]) == 0
    assert sorted(read_facts(run.path / "merged")["contents"]) == [
        "notes (a/notes.mcpbench.yaml)",
        "notes (b/notes.mcpbench.yaml)",
    ]
    capsys.readouterr()
    assert main(["report", *runs, "--format", "json"]) == 0
    assert [each["passed"] for each in json.loads(capsys.readouterr().out)["summaries"]] == [1, 1]
