"""Tests that people write themselves are counted apart from the suite's own tasks, in every report alike."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench import cli
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.summary import Summary, summaries
from pytest_mcpbench.runs.records import read_report

TESTS = """
import pytest

@pytest.mark.mcpbench(suite="notes.mcpbench.yaml")
def test_short(mcp_run):
    assert len(mcp_run.calls) < 1

@pytest.mark.parametrize("x", ["é", "b"])
@pytest.mark.mcpbench(suite="notes.mcpbench.yaml", trials=2)
class TestIt:
    def test_again(self, mcp_run, x):
        assert mcp_run.calls
"""


def _counted(made: tuple[Summary, ...]) -> list[tuple[str, int, int, int, int]]:
    return [(one.suite, one.tasks, one.attempts, one.passed, len(one.repetition)) for one in made]


EXPECTED = [
    ("notes", 2, 2, 2, 0),
    (r"notes (test_it.py::TestIt::test_again[\xe9])", 2, 4, 4, 2),
    ("notes (test_it.py::TestIt::test_again[b])", 2, 4, 4, 2),
    ("notes (test_it.py::test_short)", 2, 2, 0, 0),
]


@pytest.fixture
def run(project: pytest.Pytester) -> Path:
    project.makepyfile(test_it=TESTS)
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=run", "--mcpbench-json=run.json")
    result.assert_outcomes(passed=10, failed=2)
    return project.path / "run"


def test_the_run_and_its_records_count_the_same(run: Path) -> None:
    assert _counted(summaries(read_report(run))) == EXPECTED
    shown = json.loads((run.parent / "run.json").read_text(encoding="utf-8"))
    assert _counted(summaries(Report(entries=shown["entries"]))) == EXPECTED
    assert [summary["suite"] for summary in shown["summaries"]] == [suite for suite, *_ in EXPECTED]


def test_merged_records_count_the_same(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["merge", str(run), "--out", str(run.parent / "merged")])
    assert _counted(summaries(read_report(run.parent / "merged"))) == EXPECTED
    assert "without a record" not in capsys.readouterr().err


def test_runs_are_compared_test_by_test(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["compare", str(run), str(run), "--format", "json"])
    pairs = json.loads(capsys.readouterr().out)["comparisons"]
    assert [pair["suite"] for pair in pairs if pair["metric"] == "passed"] == [suite for suite, *_ in EXPECTED]


def test_a_run_is_resumed_test_by_test(run: Path, project: pytest.Pytester) -> None:
    kept = [line for file in run.glob("records-*") for line in file.read_text(encoding="utf-8").splitlines(True)]
    (run / "records-main.jsonl").write_text(
        "".join(line for line in kept if json.loads(line)["test"] is None), encoding="utf-8"
    )
    before = {entry.node_id: entry.seconds for entry in read_report(run).entries}
    project.runpytest_inprocess("--model=oracle", "--mcpbench-resume=run", "--mcpbench-out=again")
    entries = read_report(project.path / "again").entries
    assert {entry.test is None for entry in entries if entry.seconds == before.get(entry.node_id)} == {True}
    assert {entry.test is None for entry in entries if entry.seconds != before.get(entry.node_id)} == {False}
