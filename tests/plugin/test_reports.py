"""Scores reach every report that pytest's users know."""

import html
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_mcpbench.plugin.output import run_results
from pytest_mcpbench.runs.records import read_records, read_report
from tests.reporting.page.blocks import inflated


def test_junit_holds_scores_as_properties(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "-k", "reading", "--junitxml=junit.xml")
    case = ElementTree.parse(project.path / "junit.xml").getroot().find(".//testcase")
    assert case is not None
    properties = {each.get("name"): each.get("value") for each in case.findall("./properties/property")}
    assert properties["score.ast"] == "1.0"
    assert properties["model"] == "oracle"
    assert properties["outcome"] == "passed"


def test_what_a_server_says_cannot_become_markup(project: pytest.Pytester) -> None:
    name = "<img src=x onerror=alert(1)>"
    tasks = (project.path / "notes.mcpbench.yaml").read_text().replace("title: Shopping", f'title: "{name}"')
    project.makefile(".mcpbench.yaml", notes=tasks)
    project.runpytest_inprocess("--model=oracle", "--html=r.html", "--self-contained-html")
    page = (project.path / "r.html").read_text()
    assert name not in page
    assert json.dumps(name)[1:-1] not in page


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.extra)], ids=["one process", "two workers"]
)
def test_records_facts_and_the_html_report_are_written(project: pytest.Pytester, workers: tuple[str, ...]) -> None:
    arguments = ("--model=oracle", "--mcpbench-out=out", "--html=r.html", "--self-contained-html")
    result = project.runpytest_inprocess(*arguments, *workers)
    result.stdout.fnmatch_lines(["mcpbench: writing the page of 2 attempts to *"])
    report = read_report(project.path / "out")
    assert {entry.task_id: entry.scores for entry in report.entries} == {
        "read-shopping": {"ast": 1.0},
        "add-idea": {"ast": 1.0},
    }
    settings: Any = report.facts["settings"]
    assert settings["models"] == ["oracle"]
    page = html.unescape((project.path / "r.html").read_text())
    assert [text for text in (">ast</th>", ">reason</th>", '"r.mcpbench.html"') if text not in page] == []
    assert '"renderCollapsed": ["all"]' in page
    assert "No log output captured" not in page
    for task in ("read-shopping", "add-idea"):
        assert f"<a href=r.mcpbench.html#notes/{task}/oracle/1>attempt</a>" in page
    assert "milk, eggs" in inflated(project.path / "r.mcpbench.html")


def test_a_record_keeps_all_user_turns_and_the_system_prompt(pytester: pytest.Pytester) -> None:
    (pytester.path / "talk.mcpbench.yaml").write_text(
        """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - id: two-turns
    system: Be brief.
    turns:
      - {user: Read my list., tool: read_note, arguments: {title: Shopping}}
      - {user: Write an idea down., tool: add_note, arguments: {title: Idea}}
"""
    )
    pytester.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", "--html=r.html", "--self-contained-html")
    ((_, record),) = read_records(pytester.path / "out")
    assert record.turns == ("Read my list.", "Write an idea down.")
    assert record.system_prompt == "Be brief."
    page = inflated(pytester.path / "r.mcpbench.html")
    assert [text for text in (*record.turns, record.system_prompt) if text not in page] == []


def test_the_page_is_written_where_its_option_says_and_the_terminal_says_so(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=noop", "--mcpbench-page=new/page.html", "--html=r.html")
    result.stdout.fnmatch_lines(
        ["mcpbench: writing the page of 2 attempts to *page.html", "mcpbench: the page has * MB*"]
    )
    assert "read-shopping" in inflated(project.path / "new" / "page.html")
    assert "new/page.html#notes/add-idea/noop/1" in html.unescape((project.path / "r.html").read_text())
    assert not (project.path / "r.mcpbench.html").exists()


def test_markdown_and_json_are_written(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=noop", "--mcpbench-markdown=r.md", "--mcpbench-json=r.json")
    assert (
        "| read-shopping | 0/1 | read_note → (none) | ast 0 < 1: no call of read_note(title='Shopping') |"
        in (project.path / "r.md").read_text()
    )
    content = json.loads((project.path / "r.json").read_text())
    assert [summary["failed"] for summary in content["summaries"]] == [2]


def test_the_comment_and_the_page_of_a_red_run_name_what_failed_before_they_count_attempts(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        test_a="def test_a(mcp_tools, tool_schema_snapshot):\n    assert mcp_tools == tool_schema_snapshot\n",
        test_broken="import no_such_module\n",
    )
    project.runpytest_inprocess(
        "--model=oracle", "--continue-on-collection-errors", "--mcpbench-markdown=r.md", "--mcpbench-page=r.html"
    )
    assert (project.path / "r.md").read_text().split("\n\n")[1].splitlines() == [
        "✗ **The run failed** (exit code 1).",
        "* **snapshot:** test_a.py::test_a&#91;notes&#93;: Snapshot 'test_a&#91;notes&#93;' does not exist!",
        "* **collection:** test_broken.py: ModuleNotFoundError: No module named 'no_such_module'",
        "* 2 of 2 attempts passed.",
    ]
    page = (project.path / "r.html").read_text()
    assert (
        page.index("Snapshot failed: test_a.py") < page.index("Collection failed: test_broken") < page.index("oracle")
    )


def test_a_run_starts_before_its_first_record(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_results, "time", SimpleNamespace(time=lambda: 0.0))
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out")
    assert read_report(project.path / "out").facts["started_at"] == "1970-01-01T00:00:00+00:00"


def test_a_failing_task_is_one_line_and_the_table_comes_last(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = project.runpytest_inprocess("--model=noop")
    text = result.stdout.str()
    assert "= FAILURES =" not in text
    assert text.count("::read-shopping") == 1
    assert text.index("= failed tasks =") < text.index("= mcpbench =") < text.index("See one: ")


def test_verbose_shows_the_calls_side_by_side(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=noop", "-v")
    result.stdout.fnmatch_lines(["*ast: 0, required: at least 1*", "*expected calls*actual calls*", "*read_note(*"])


def test_a_resumed_run_makes_only_what_is_missing(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "-k", "reading", "--mcpbench-out=first")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-resume=first", "--mcpbench-out=second")
    result.assert_outcomes(passed=2)
    first, second = (read_report(project.path / name) for name in ("first", "second"))
    times = {entry.task_id: entry.seconds for entry in second.entries}
    assert [(entry.task_id, entry.seconds) for entry in first.entries] == [("read-shopping", times["read-shopping"])]
    assert times["add-idea"] > 0


def test_the_log_file_has_no_control_text_of_servers(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        import logging
        def pytest_runtest_call(item):
            logging.getLogger("server").warning("said %s", "x\\n::stop-commands::x\\x1b[2J")
        """
    )
    project.runpytest_inprocess("--model=oracle", "--log-file=log.txt").assert_outcomes(passed=2)
    text = (project.path / "log.txt").read_text()
    assert ":stop-commands::x" in text
    assert not [part for part in ("::stop-commands", "\x1b") if part in text]


def test_a_hook_gets_the_report(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        def pytest_mcpbench_report(report):
            print("HOOK", [entry.outcome for entry in report.entries])
        """
    )
    result = project.runpytest_inprocess("--model=oracle", "-s")
    result.stdout.fnmatch_lines(["*HOOK [[]'passed', 'passed'[]]*"])


def test_tasks_that_fail_for_one_reason_show_it_once(project: pytest.Pytester) -> None:
    broken = (
        (project.path / "notes.mcpbench.yaml")
        .read_text()
        .replace("factory: fixtures.notes_server:server", "{command: no-such-command-of-anyone}")
    )
    project.makefile(".mcpbench.yaml", notes=broken)
    text = project.runpytest_inprocess("--model=oracle").stdout.str()
    assert text.count("ERROR at setup of") == 1
    assert text.count("\nERROR notes.mcpbench.yaml::") == 2
    assert "Models:" in text


def test_trials_and_models_are_compared_at_the_end(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--model=noop", "--trials=2")
    result.stdout.fnmatch_lines(["Models:", "*to the best*", "oracle *best*", "noop *−100.0*", "records:*"])
    verbose = project.runpytest_inprocess("--model=oracle", "--model=noop", "--trials=2", "-v")
    verbose.stdout.fnmatch_lines(
        ["Results:", "*errors*unscored*", "Metrics:", "Trials:", "*pass@k*", "Against the best:"]
    )


def test_tests_of_other_kinds_share_the_html_report(project: pytest.Pytester) -> None:
    project.makepyfile("def test_plain(): pass")
    project.runpytest_inprocess("--model=oracle", "--html=r.html", "--self-contained-html")
    page = html.unescape((project.path / "r.html").read_text())
    assert [row.count("<td>") for row in page.split("<td class=col-result>")[1:]] == [5, 5, 5]


@pytest.mark.parametrize("option", ["--mcpbench-json", "--mcpbench-markdown", "--mcpbench-page"])
def test_a_place_where_no_report_can_be_written_is_an_error_before_the_run(
    project: pytest.Pytester, option: str
) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out", f"{option}=/proc/report")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option}: /proc/report cannot be written: *"])
    assert not project.path.joinpath("out").exists()


def test_the_trial_of_the_place_leaves_no_file_and_keeps_an_old_one(project: pytest.Pytester) -> None:
    (project.path / "old.json").write_text("old")
    project.runpytest_inprocess("--model=oracle", "--mcpbench-json=old.json", "--mcpbench-page=new.html", "-k", "none")
    assert (project.path / "old.json").read_text() == "old"
    assert not (project.path / "new.html").exists()


def test_a_place_that_is_lost_during_the_run_costs_no_other_report(project: pytest.Pytester) -> None:
    # The test makes a directory of the file, as a disk that turns read-only cannot be had here.
    project.makepyfile(test_last="import os\ndef test_lost():\n    os.makedirs('report.json')")
    result = project.runpytest_inprocess(
        "--model=oracle", "--mcpbench-out=out", "--mcpbench-json=report.json", "--mcpbench-markdown=report.md"
    )
    result.stdout.fnmatch_lines(
        ["mcpbench: the report of --mcpbench-json could not be written: *report.json*--format json --out FILE*"]
    )
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert "Traceback" not in result.stdout.str()
    assert (project.path / "report.md").exists()


def test_a_file_with_a_name_that_is_not_utf_8_is_an_error_of_its_author(pytester: pytest.Pytester) -> None:
    content = b"tasks: [{id: one, ask: Hello, answer: milk}]"
    Path(os.fsdecode(b"caf\xe9.mcpbench.yaml")).write_bytes(content)
    result = pytester.runpytest_inprocess("--model=noop")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*its name b'caf\\xe9.mcpbench.yaml' is not UTF-8*Rename the file*"])


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("--no-such-option", "usage error:** pytest: unrecognized arguments: --no-such-option"),
        ("--mcpbench-trials=0", "usage error:** pytest: --mcpbench-trials must be at least 1, not 0"),
        ("nowhere.py", "usage error:** pytest: file or directory not found: nowhere.py"),
        ("broken", "internal error:** ConftestImportFailure: ModuleNotFoundError: "),
    ],
)
def test_a_run_that_ends_before_its_first_test_has_a_comment_with_the_error_that_pytest_prints(
    pytester: pytest.Pytester, arguments: str, line: str
) -> None:
    pytester.mkdir("broken").joinpath("conftest.py").write_text("import no_such_module")
    (pytester.path / "report.md").write_text("6 of 6 attempts passed", encoding="utf-8")
    result = pytester.runpytest_inprocess("--mcpbench-markdown=report.md", arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    comment = (pytester.path / "report.md").read_text(encoding="utf-8")
    assert "✗ **The run failed" in comment
    assert line in comment
    assert "passed" not in comment


@pytest.mark.parametrize(
    "option", ["--collect-only", "--markers", "--fixtures", "--fixtures-per-test", "--cache-show", "--help"]
)
def test_a_command_that_runs_no_test_leaves_the_comment_as_it_is(pytester: pytest.Pytester, option: str) -> None:
    pytester.makeini("[pytest]\nmcpbench_markdown = report.md")
    pytester.makepyfile("def test_it(): pass")
    (pytester.path / "report.md").write_text("6 of 6 attempts passed", encoding="utf-8")
    assert pytester.runpytest_inprocess(option).ret == 0
    assert (pytester.path / "report.md").read_text(encoding="utf-8") == "6 of 6 attempts passed"


def test_a_run_whose_tasks_are_all_skipped_says_that_no_attempt_was_made(pytester: pytest.Pytester) -> None:
    pytester.makefile(".mcpbench.yaml", t="tasks: [{id: one, ask: Hello, answer: milk}]")
    pytester.makeconftest("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.skip)
        """)
    pytester.runpytest_inprocess("--model=noop", "--mcpbench-markdown=report.md").assert_outcomes(skipped=1)
    comment = (pytester.path / "report.md").read_text(encoding="utf-8")
    assert "\nNo attempt was made." in comment
    assert "✓" not in comment


def test_a_directory_with_such_a_name_is_refused_before_workers_start(pytester: pytest.Pytester) -> None:
    pytester.mkdir(os.fsdecode(b"caf\xe9"))
    result = pytester.runpytest_inprocess("-n2", "--model=noop", os.fsdecode(b"caf\xe9"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: b'caf\\xe9' is not UTF-8, and pytest-xdist cannot send it*Rename*"])


@pytest.mark.long
def test_a_worker_reports_a_directory_with_such_a_name(pytester: pytest.Pytester) -> None:
    directory = pytester.mkdir(os.fsdecode(b"caf\xe9"))
    (directory / "t.mcpbench.yaml").write_text("tasks: [{id: one, ask: Hello, answer: milk}]")
    result = pytester.runpytest_inprocess("-n1", "--model=noop")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*its name b'caf\\xe9/t.mcpbench.yaml' is not UTF-8*Rename the file*"])


@pytest.mark.extra
def test_a_worker_sends_the_report_of_a_skipped_test_as_pytest_makes_it(pytester: pytest.Pytester) -> None:
    """The report of JUnit takes a tuple only."""
    pytester.makefile(".mcpbench.yaml", t="tasks: [{id: one, ask: Hello, answer: milk}]")
    pytester.makepyfile(test_own="import pytest\n\n\ndef test_skipped():\n    pytest.skip('not today')\n")
    result = pytester.runpytest_subprocess("-n1", "--model=noop", "--junitxml=junit.xml")
    result.assert_outcomes(failed=1, skipped=1)
    assert 'message="not today"' in (pytester.path / "junit.xml").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no file can have such a name")
def test_a_line_break_in_the_name_of_a_file_costs_no_report(project: pytest.Pytester) -> None:
    (project.path / "notes.mcpbench.yaml").rename(project.path / "no\ntes.mcpbench.yaml")
    result = project.runpytest_inprocess("--model=oracle", "--html=r.html", "--self-contained-html")
    assert result.ret == pytest.ExitCode.OK
    assert "attempt</a>" in html.unescape((project.path / "r.html").read_text())
