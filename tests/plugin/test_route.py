"""Route mode: one message of the agent, and no call is executed."""

from pathlib import Path

import pytest

from pytest_mcpbench.runs.records import read_records
from tests.plugin.conftest import TASKS

ROUTE = "--mcpbench-route"


def test_the_first_message_is_scored_and_no_call_reaches_the_server(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess(ROUTE, "--model=oracle", "--model=lexical", "--mcpbench-out=run")

    result.assert_outcomes(passed=4)
    records = [record for _, record in read_records(Path(project.path / "run"))]
    calls = [call for record in records if record.evidence for call in record.evidence.calls]
    assert [call.result for call in calls] == [None] * 4
    assert {record.evidence.trajectory.stop for record in records if record.evidence} == {"routed"}
    assert {tuple(record.scorecard.scores) for record in records} == {("first_calls",)}


def test_a_wrong_tool_fails(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes=TASKS.replace("tool: read_note", "tool: add_note"))

    project.runpytest_inprocess(ROUTE, "--model=lexical", "-k", "read").assert_outcomes(failed=1)


def test_either_of_several_tools_passes(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes=TASKS.replace("tool: read_note", "tool: [add_note, read_note]"))

    project.runpytest_inprocess(ROUTE, "--model=lexical", "-k", "read").assert_outcomes(passed=1)


def test_a_task_that_says_nothing_about_calls_is_skipped_and_not_asked(project: pytest.Pytester) -> None:
    project.makefile(".mcpbench.yaml", notes=TASKS.partition("tasks:")[0] + "tasks: [{ask: Hello, answer: Hello}]")

    result = project.runpytest_inprocess(ROUTE, "--model=oracle", "-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*route mode: the task says nothing about the calls of the first message*"])


def test_the_floor_of_the_first_message_is_that_of_the_run(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess(
        ROUTE, "--model=lexical", "--mcpbench-floor=first_calls=0.4", "--mcpbench-out=run"
    )

    result.assert_outcomes(passed=2)
    assert [record.scorecard.floors for _, record in read_records(project.path / "run")] == [{"first_calls": 0.4}] * 2


def test_a_floor_that_one_message_cannot_reach_is_refused(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess(ROUTE, "--model=lexical", "--mcpbench-floor=ast=0.5")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mcpbench-floor: ast cannot be measured: route mode judges the first message*"])


@pytest.mark.long
def test_workers_route_too(project: pytest.Pytester) -> None:
    project.runpytest_inprocess(ROUTE, "--model=oracle", "-n2").assert_outcomes(passed=2)
