"""An attempt that is lost with its worker is an error like any other."""

import json

import pytest

from pytest_mcpbench.runs.records import read_facts, read_report

CRASHING = """
import os
import pytest

@pytest.fixture(autouse=True)
def crash(request):
    if "add-idea" in request.node.name and not os.path.exists("calm"):
        os._exit(1)
"""


def test_an_attempt_lost_with_its_worker_is_counted_and_made_again(project: pytest.Pytester) -> None:
    project.makeconftest(CRASHING)
    run = ("-n", "1", "--model=oracle", "--mcpbench-out=run")
    result = project.runpytest_inprocess(*run)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*n  errors*", "oracle * 2 *1 *", "*not counted: 1 error."])
    lost = {entry.task_id: (entry.outcome, entry.error_kind) for entry in read_report(project.path / "run").entries}
    assert lost == {"read-shopping": ("passed", None), "add-idea": ("error", "worker")}
    assert not list((project.path / "run").glob(".at-*"))

    (project.path / "calm").touch()
    project.runpytest_inprocess(*run[2:], "--mcpbench-resume=run").assert_outcomes(passed=2)
    assert {entry.outcome for entry in read_report(project.path / "run").entries} == {"passed"}


KILLED = """
import os
import time
from pathlib import Path

import pytest

def kill(node_id, stored=0):
    if "add-idea" in node_id and "PYTEST_XDIST_WORKER" in os.environ and not os.path.exists("calm"):
        while stored and Path("run/evidence-gw0.jsonl").read_text().count("\\n") < stored:
            time.sleep(0.01)
        os.kill(os.getpid(), 9)

"""
MOMENTS = {
    "before its report is sent": """
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    if report.when == "call":
        kill(report.nodeid)
""",
    "before its record is stored": """
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "call":
        kill(item.nodeid)
""",
    "before its item": """
@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_protocol(item):
    kill(item.nodeid, stored=2)
    return (yield)
""",
}


@pytest.mark.extra
@pytest.mark.parametrize(
    ("moment", "model", "outcome"),
    [
        ("before its report is sent", "noop", "failed"),
        ("before its record is stored", "oracle", "passed"),
        ("before its item", "oracle", "passed"),
    ],
)
def test_an_attempt_that_was_stored_before_its_worker_was_killed_keeps_its_verdict(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, moment: str, model: str, outcome: str
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    project.makeconftest(KILLED + MOMENTS[moment])
    run = ("-n", "1", f"--model={model}", "--mcpbench-out=run", "--mcpbench-json=run.json", "--mcpbench-concurrency=2")
    result = project.runpytest_inprocess(*run)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["FAILED *add-idea* - worker 'gw0' crashed*"])
    expected = {"read-shopping": outcome, "add-idea": outcome}
    assert _outcomes(project) == expected
    report = json.loads((project.path / "run.json").read_text())
    assert sorted((entry["task_id"], entry["outcome"]) for entry in report["entries"]) == sorted(expected.items())
    assert "worker 'gw0' crashed" in str(read_facts(project.path / "run")["failed_tests"])

    (project.path / "calm").touch()
    project.runpytest_inprocess(*run[2:], "--mcpbench-resume=run").assert_outcomes(**{outcome: 2})
    assert _outcomes(project) == expected


def _outcomes(project: pytest.Pytester) -> dict[str, str]:
    return {entry.task_id: entry.outcome for entry in read_report(project.path / "run").entries}
