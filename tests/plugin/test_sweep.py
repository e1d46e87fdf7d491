"""A sweep runs each task under each value of a condition or limit; a sample runs some of the tasks."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.runs.records import read_report
from tests.plugin.conftest import usage_error

TASKS = """
servers:
  notes:
    factory: fixtures.notes_server:server
tasks:
  - id: two-steps
    ask: Write "Idea" down, then read it.
    calls:
      - {tool: add_note, arguments: {title: Idea}}
      - {tool: read_note, arguments: {title: Idea}}
    tags: {kind: both}
  - {id: one-step, ask: Read "Shopping"., tool: read_note, arguments: {title: Shopping}, tags: {kind: reading}}
"""


SCRIPT = {
    "Idea": [
        {"calls": [{"name": "add_note", "arguments": {"title": "Idea"}}]},
        {"calls": [{"name": "read_note", "arguments": {"title": "Idea"}}]},
        "Done.",
    ],
    "Shopping": [{"calls": [{"name": "read_note", "arguments": {"title": "Shopping"}}]}, "Milk."],
}
MODEL = "--model=scripted:script.json"


@pytest.fixture
def swept(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".mcpbench.yaml", notes=TASKS)
    Path("script.json").write_text(json.dumps(SCRIPT), encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def test_each_value_is_a_series_with_a_result_of_its_own(swept: pytest.Pytester) -> None:
    result = swept.runpytest_inprocess(MODEL, "--mcpbench-sweep=rounds=1,2", "--mcpbench-out=out", "-v")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["*two-steps[[]scripted:script.json@rounds:1] FAILED*", "*two-steps[[]scripted:script.json@rounds:2] PASSED*"]
    )
    result.stdout.fnmatch_lines(["Sweep of rounds:", "suite *rounds 1  rounds 2", "*passed *50.0 % *100.0 %"])
    (path,) = Path("out").glob("records-*.jsonl")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {(record["model"], record["swept"]["rounds"]) for record in records} == {
        ("scripted:script.json@rounds:1", "1"),
        ("scripted:script.json@rounds:2", "2"),
    }


def test_sweeps_are_combined_and_conditions_change_what_the_agent_sees(swept: pytest.Pytester) -> None:
    options = ["--mcpbench-sweep=exposure=needed,none", "--mcpbench-sweep=rounds=1,5", "-k", "one-step"]
    result = swept.runpytest_inprocess("--model=oracle", "-v", *options)
    result.assert_outcomes(passed=2, failed=2, deselected=4)
    result.stdout.fnmatch_lines(["*one-step[[]oracle@exposure:needed,rounds:5] PASSED*"])


def test_a_resumed_sweep_takes_each_series_from_its_own_attempts(swept: pytest.Pytester) -> None:
    options = [MODEL, "--mcpbench-sweep=rounds=1,2"]
    swept.runpytest_inprocess(*options, "--mcpbench-out=first", "-k", "rounds:1")
    result = swept.runpytest_inprocess(*options, "--mcpbench-resume=first", "--mcpbench-out=second")
    result.assert_outcomes(passed=3, failed=1)
    assert len({path.parent for path in Path().glob("*/records-*.jsonl")}) == 2


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        (
            "--mcpbench-sweep=reasoning-effort=low,high",
            "reasoning_effort is a setting of a model, which is not swept",
        ),
        ("--mcpbench-sweep=round=1,2", "no condition is called 'round'. Did you mean 'rounds'?"),
        ("--mcpbench-sweep=rounds=1", "write NAME=VALUE,VALUE with at least two different values"),
        ("--mcpbench-sweep=rounds=1,1", "write NAME=VALUE,VALUE with at least two different values"),
        ("--mcpbench-sweep=rounds=1,two", "'two' is not a whole number"),
        ("--mcpbench-sweep=rounds=0,1", "a value must be at least 1, not 0"),
        ("--mcpbench-sweep=exposure=needed,most", "--mcpbench-exposure: Input should be"),
    ],
)
def test_a_wrong_sweep_is_a_usage_error(project: pytest.Pytester, option: str, problem: str) -> None:
    assert problem in usage_error(project, option)


def test_a_sweep_excludes_a_single_value_and_a_comparison(project: pytest.Pytester) -> None:
    sweep = "--mcpbench-sweep=rounds=1,2"
    assert "leave --mcpbench-rounds out" in usage_error(project, sweep, "--mcpbench-rounds=3")
    assert "a run that compares definitions has no sweep" in usage_error(project, sweep, "--mcpbench-aa")


def test_a_sample_deselects_the_other_tasks(swept: pytest.Pytester) -> None:
    swept.runpytest_inprocess("--model=oracle", "--mcpbench-sample=1").assert_outcomes(passed=1, deselected=1)
    swept.runpytest_inprocess("--model=oracle", "--mcpbench-sample=1/kind").assert_outcomes(passed=2)


def test_rescoring_uses_the_values_of_each_attempt(swept: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    swept.runpytest_inprocess(MODEL, "--mcpbench-sweep=rounds=1,2", "--mcpbench-out=out")
    before = read_report(swept.path / "out")
    capsys.readouterr()
    assert main(["rescore", "out", "--suite", "notes.mcpbench.yaml", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["altered"] == []
    after = read_report(swept.path / "out-rescored")
    assert [(each.model, each.outcome, each.scores) for each in after.entries] == [
        (each.model, each.outcome, each.scores) for each in before.entries
    ]
