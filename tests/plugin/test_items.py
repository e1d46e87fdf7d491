"""Tasks behave as pytest items."""

from pathlib import Path

import pytest

from pytest_mcpbench.suite_files.discovery import shipped_directory
from tests.plugin.conftest import TASKS


def test_the_oracle_passes_every_task_and_doing_nothing_fails_it(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--model=noop")
    result.assert_outcomes(passed=2, failed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert project.runpytest_inprocess("--model=oracle").ret == pytest.ExitCode.OK


def test_each_model_and_trial_is_an_item(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--model=noop", "--trials=2", "--co", "-q")
    result.stdout.fnmatch_lines(
        [
            "notes.mcpbench.yaml::read-shopping[[]oracle-1[]]",
            "*::read-shopping[[]oracle-2[]]",
            "*::read-shopping[[]noop-1[]]",
            "*::read-shopping[[]noop-2[]]",
        ]
    )


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["-k", "writing"], id="by tag"),
        pytest.param(["-k", "add-idea"], id="by name"),
        pytest.param(["notes.mcpbench.yaml::add-idea[oracle]"], id="by node id"),
    ],
)
def test_a_task_can_be_selected(project: pytest.Pytester, arguments: list[str]) -> None:
    result = project.runpytest_inprocess("--model=oracle", *arguments)
    assert result.parseoutcomes()["passed"] == 1


def test_the_marker_selects_tasks_among_other_tests(project: pytest.Pytester) -> None:
    project.makepyfile("def test_plain(): pass")
    result = project.runpytest_inprocess("--model=oracle", "-m", "not mcpbench")
    result.assert_outcomes(passed=1, deselected=2)


def test_stopping_at_the_first_failure_runs_no_further_task(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=noop", "-x")
    result.assert_outcomes(failed=1)


def test_the_last_failures_can_be_run_alone(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nfilterwarnings = default\nmcpbench_model = oracle noop\n")
    project.runpytest_inprocess("-p", "cacheprovider").assert_outcomes(passed=2, failed=2)
    project.runpytest_inprocess("-p", "cacheprovider", "--lf").assert_outcomes(failed=2)


@pytest.mark.extra
def test_workers_share_the_items_of_the_requested_suite_and_run_nothing_else(project: pytest.Pytester) -> None:
    project.makepyfile(test_plain="def test_plain(): pass")
    result = project.runpytest_inprocess("--suite=notes.mcpbench.yaml", "--model=oracle", "--model=noop", "-n", "2")
    result.assert_outcomes(passed=2, failed=2)


def test_a_broken_record_is_one_error_and_the_others_run(project: pytest.Pytester) -> None:
    broken = TASKS.replace("    tool: add_note\n", "    tol: add_note\n")
    project.makefile(".mcpbench.yaml", notes=broken)
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["notes.mcpbench.yaml:12: tol: there is no such field. Did you mean 'tool'?"])


def test_a_suite_that_does_not_exist_names_the_nearest(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--suite=rador")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no suite is called 'rador'*radar*Did you mean 'radar'?*"])


def test_a_task_of_a_suite_that_ships_is_named_and_can_be_named_by_the_suite(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--suite=atlas", "--suite=radar", "--co", "-q", "-k", "wren or email-001")
    result.stdout.fnmatch_lines(
        ["suites/atlas/suite.toml::wren-fee[[]lexical[]]", "suites/radar/suite.toml::email-001[[]lexical[]]"]
    )
    named = pytester.runpytest_inprocess("suites/radar/suite.toml::email-001[lexical]", "--co", "-q")
    named.stdout.fnmatch_lines(["suites/radar/suite.toml::email-001[[]lexical[]]"])


@pytest.mark.extra
def test_where_items_of_a_suite_are_named_the_others_of_it_stay_out(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--suite=radar", "suites/radar/suite.toml::email-001[lexical]", "--co", "-q")
    result.stdout.fnmatch_lines(["suites/radar/suite.toml::email-001[[]lexical[]]", "", "1 test collected*"])
    others = ("--suite=radar", "--suite=atlas", "suites/radar/suite.toml::email-001[lexical]")
    result = pytester.runpytest_inprocess(*others, "--co", "-q", "-k", "email-001 or wren-fee")
    result.stdout.fnmatch_lines(["*email-001*", "suites/atlas/suite.toml::wren-fee*", "", "2/* tests collected*"])


_INSTALLED = shipped_directory().parents[1]
"""Below it the suites that ship are installed, as they are in an environment inside a project."""
_RADAR = "suites/radar/suite.toml::calendar-023"


@pytest.mark.extra
@pytest.mark.parametrize("root", [None, _INSTALLED], ids=["installed outside", "installed below the rootdir"])
def test_a_suite_that_ships_has_short_places_wherever_it_is_installed(
    pytester: pytest.Pytester, root: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    at = ["--rootdir", str(root), "-p", "no:cacheprovider"] if root else []
    arguments = ("--suite=radar", "-k", "calendar-023", "--model=oracle", "--mcpbench-exposure=listed", *at)
    output = pytester.runpytest_inprocess(*arguments, "--mcpbench-out=listed").stdout
    output.fnmatch_lines(
        [
            "suites/radar/tasks/calendar.jsonl:23: tools: the suite exposes only *",
            f"ERROR *{_RADAR}[[]oracle[]] - suites*",
        ]
    )
    named = pytester.runpytest_inprocess(f"{_RADAR}[oracle]", "--model=oracle", "--mcpbench-out=all", *at)
    named.assert_outcomes(passed=1)


def test_a_task_file_outside_the_rootdir_is_named_by_its_path_from_there(project: pytest.Pytester) -> None:
    inside = project.mkdir("inside")
    (inside / "pytest.ini").write_text("[pytest]\n")
    result = project.runpytest_inprocess("--rootdir", str(inside), "notes.mcpbench.yaml", "--co", "-q")
    result.stdout.fnmatch_lines(["../notes.mcpbench.yaml::read-shopping[[]lexical[]]"])
