"""Exceptions that nobody expected between an attempt and its report are errors of that attempt alone."""

import json
from typing import Any

import pytest

from pytest_mcpbench.runs import attempt_records, records


def outcomes(project: pytest.Pytester) -> dict[str, tuple[str, str | None]]:
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    return {entry["task_id"]: (entry["outcome"], entry["error"]) for entry in report["entries"]}


@pytest.mark.parametrize(
    ("module", "part", "problem"),
    [
        pytest.param(attempt_records, "facts_of_evidence", "could not be built", id="facts derived from evidence"),
        pytest.param(attempt_records, "_facts_of_task", "could not be built", id="facts of the task"),
        pytest.param(attempt_records, "RunRecord", "could not be written", id="the record"),
        pytest.param(records, "encode", "could not be written", id="its line"),
    ],
)
def test_a_record_that_breaks_is_an_error_of_its_attempt(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, module: Any, part: str, problem: str
) -> None:
    original = getattr(module, part)
    is_evidence_needed = problem == "could not be written"

    def function(*arguments: Any, **named: Any) -> Any:
        written = repr((arguments, named))
        if "read-shopping" in written and (not is_evidence_needed or "Trajectory" in written):
            raise KeyError("a broken part")
        return original(*arguments, **named)

    monkeypatch.setattr(module, part, function)
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-json=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    made = outcomes(project)
    outcome, error = made["read-shopping"]
    assert made["add-idea"] == ("passed", None)
    assert outcome == "error"
    assert problem in str(error)
    assert "KeyError: 'a broken part' (" in str(error)
    assert "test_broken_records.py:" in str(error), "the place of the exception"


def test_a_hook_for_reports_that_raises_leaves_the_other_reports(project: pytest.Pytester) -> None:
    project.makeconftest("def pytest_mcpbench_report():\n    raise KeyError('mine')\n")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-json=report.json", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    result.stdout.fnmatch_lines(
        ["mcpbench: a hook pytest_mcpbench_report raised KeyError: 'mine' (conftest.py:2, in pytest_mcpbench_report)"]
    )
    assert set(outcomes(project)) == {"read-shopping", "add-idea"}
    assert (project.path / "junit.xml").exists()
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("kind", ["judge", "user", "dispatcher", "client"])
def test_a_hook_that_raises_while_it_makes_a_participant_is_named(project: pytest.Pytester, kind: str) -> None:
    project.makeconftest(f"def pytest_mcpbench_make_{kind}():\n    raise KeyError('mine')\n")
    result = project.runpytest_inprocess("--model=oracle", f"--mcpbench-{kind}=own")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"the hook pytest_mcpbench_make_{kind} raised KeyError: 'mine' (conftest.py:2, in " in result.stderr.str()
