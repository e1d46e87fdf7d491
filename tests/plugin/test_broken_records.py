"""Exceptions that nobody expected between an attempt and its report cost that attempt or that report alone."""

import json
from typing import Any

import pytest

from pytest_mcpbench.plugin.output import allure, recorder, run_directory
from pytest_mcpbench.reporting.data import json as json_report
from pytest_mcpbench.reporting.page import pytest_html, report_page
from pytest_mcpbench.reporting.pull_request import report as comment
from pytest_mcpbench.reporting.texts import terminal
from pytest_mcpbench.runs import attempt_records, evidence_journal, records


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
        [
            "mcpbench: the report of a hook pytest_mcpbench_report could not be written: KeyError: 'mine' "
            "(conftest.py:2, in pytest_mcpbench_report)"
        ]
    )
    assert set(outcomes(project)) == {"read-shopping", "add-idea"}
    assert (project.path / "junit.xml").exists()
    result.assert_outcomes(passed=2)


def test_a_report_of_another_plugin_that_cannot_be_written_costs_none_of_ours(project: pytest.Pytester) -> None:
    (project.path / "file").write_text("", encoding="utf-8")
    names = ("--mcpbench-json", "--mcpbench-page", "--mcpbench-markdown")
    result = project.runpytest_inprocess(
        "--model=oracle", "--junitxml=file/junit.xml", *(f"{name}=made{name}" for name in names)
    )
    assert result.ret != pytest.ExitCode.OK
    assert all((project.path / f"made{name}").stat().st_size for name in names)
    comment = (project.path / "made--mcpbench-markdown").read_text(encoding="utf-8")
    assert "**The run failed** (exit code 1)" in comment
    assert "**internal error:** FileExistsError: " in comment


def test_a_run_that_an_internal_error_ended_is_not_complete(project: pytest.Pytester) -> None:
    project.makeconftest(
        "def pytest_runtest_logreport(report):\n    if report.when == 'teardown': raise RuntimeError('no disk')"
    )
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", "--mcpbench-markdown=r.md")
    end = json.loads((project.path / "out" / "run.json").read_text(encoding="utf-8"))["end"]
    assert (end["cause"], end["reason"], end["selected"]) == ("internal error", "RuntimeError: no disk", 2)
    assert "**not complete:** internal error" in (project.path / "r.md").read_text(encoding="utf-8")


_REMEDY = "; mcpbench report {out}{} writes it from the records"
_FILES = ("r.json", "r.md", "p.html", "h.html", "j.xml")
_ENDS = [
    (json_report, "text", "the report of --mcpbench-json could not be written", " --format json --out FILE", "r.json"),
    (
        comment,
        "text",
        "the comment of --mcpbench-markdown could not be written",
        " --format markdown --out FILE",
        "r.md",
    ),
    (report_page, "report_page", "the page could not be written", " --format html --out FILE", "p.html"),
    (pytest_html, "summary", "the columns of pytest-html's report could not be written", None, None),
    (terminal, "lines", "the summary could not be written", "", None),
    (records, "write_end", "the end of the run could not be written", None, None),
]


def raise_planted(*_: Any, **__: Any) -> None:
    raise RuntimeError("planted")


def run_with_all_reports(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    """A run of two attempts that pass; all reports but what is broken must be there, and nothing may be a traceback."""
    names = ("--mcpbench-json", "--mcpbench-markdown", "--mcpbench-page", "--html", "--junitxml")
    files = (f"{name}={file}" for name, file in zip(names, _FILES, strict=True))
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", *files, *options)
    output = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in output
    assert "Traceback" not in output
    return result


@pytest.mark.parametrize(
    ("module", "part", "problem", "arguments", "missing"),
    _ENDS,
    ids=[problem.split(" could")[0] for *_, problem, _, _ in _ENDS],
)
def test_a_report_that_breaks_costs_no_other_and_fails_the_run(
    project: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    part: str,
    problem: str,
    arguments: str | None,
    missing: str | None,
) -> None:
    monkeypatch.setattr(module, part, raise_planted)
    result = run_with_all_reports(project)
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.assert_outcomes(passed=2)
    remedy = "" if arguments is None else _REMEDY.format(arguments, out=project.path / "out")
    result.stdout.fnmatch_lines([f"mcpbench: {problem}: RuntimeError: planted (*, in raise_planted){remedy}"])
    assert {file for file in _FILES if not (project.path / file).exists()} == ({missing} if missing else set())
    assert len(records.read_report(project.path / "out").entries) == 2


@pytest.mark.parametrize(
    ("module", "part", "problem", "outcomes"),
    [
        pytest.param(recorder, "show", "the attempt is recorded, and missing in the report of JUnit", 2, id="JUnit"),
        pytest.param(
            allure, "_attach_texts", "the attempt is recorded, and missing in Allure's report", 2, id="Allure"
        ),
        pytest.param(evidence_journal, "encode", "the journal could not be written", 0, id="the journal"),
    ],
)
def test_what_breaks_for_each_attempt_fails_it_and_leaves_its_record(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, module: Any, part: str, problem: str, outcomes: int
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    # The tests' own options leave Allure out.
    monkeypatch.delenv("PYTEST_ADDOPTS")
    monkeypatch.setattr(module, part, raise_planted)
    result = run_with_all_reports(project, "--alluredir=allure")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*{problem}: RuntimeError: planted (*, in raise_planted)"])
    entries = records.read_report(project.path / "out").entries
    assert [entry.outcome for entry in entries].count("passed") == outcomes
    assert all(entry.steps for entry in entries), "the evidence is in the record"


def test_a_run_whose_records_cannot_be_written_keeps_the_journal(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records.RecordWriter, "append_entry", raise_planted)
    monkeypatch.setattr(run_directory, "remove_reported", raise_planted)
    result = run_with_all_reports(project)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["mcpbench: interrupted: 0 of 2 attempts ran (*attempts that had ended are kept in *out"]
    )
    assert [entry.outcome for entry in records.read_report(project.path / "out").entries] == ["passed", "passed"]


@pytest.mark.parametrize("kind", ["judge", "user", "dispatcher", "client"])
def test_a_hook_that_raises_while_it_makes_a_participant_is_named(project: pytest.Pytester, kind: str) -> None:
    project.makeconftest(f"def pytest_mcpbench_make_{kind}():\n    raise KeyError('mine')\n")
    result = project.runpytest_inprocess("--model=oracle", f"--mcpbench-{kind}=own")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"the hook pytest_mcpbench_make_{kind} raised KeyError: 'mine' (conftest.py:2, in " in result.stderr.str()
