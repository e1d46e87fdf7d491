"""An attempt that is lost with its worker is an error like any other."""

import pytest

from pytest_mcpbench.runs.records import read_report

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
    result.stdout.fnmatch_lines(["*n  passed  errors*", "notes *oracle * 2       1       1*"])
    lost = {entry.task_id: (entry.outcome, entry.error_kind) for entry in read_report(project.path / "run").entries}
    assert lost == {"read-shopping": ("passed", None), "add-idea": ("error", "worker")}
    assert not list((project.path / "run").glob(".at-*"))

    (project.path / "calm").touch()
    project.runpytest_inprocess(*run[2:], "--mcpbench-resume=run").assert_outcomes(passed=2)
    assert {entry.outcome for entry in read_report(project.path / "run").entries} == {"passed"}
