"""Messages that a user must be able to read: reasons are not cut off, causes are not hidden behind internals."""

from pathlib import Path

import pytest

from pytest_mcpbench.runs.records import read_records

SUITE = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - id: a-task-with-a-name-that-leaves-no-room-for-a-reason
    ask: Read a.
    tool: read_note
    arguments: {title: a}
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "notes.mcpbench.yaml").write_text(SUITE)
    return pytester


def test_the_reason_of_a_failure_can_be_read_at_80_columns(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    result = suite.runpytest_inprocess("--model=noop")
    result.assert_outcomes(failed=1)
    text = " ".join(result.stdout.str().split())
    assert "ast 0 < 1: no call of read_note" in text


FREE_TITLE = """\
name = "free"
floors = { operation = 1.0 }
metric_settings = { operation = { free_text = ["title"] } }

[servers.notes]
factory = "fixtures.notes_server:server"

[[files]]
path = "tasks.yaml"
"""
TWO_CALLS = """\
tasks:
  - id: two-calls
    ask: 'Write a new note down with the title "Eggs".'
    expected:
      calls:
        - {tool: add_note, arguments: {title: Groceries}}
        - {tool: read_note, arguments: {title: Shopping}}
"""


def test_a_failure_does_not_blame_an_argument_that_its_metric_accepts(pytester: pytest.Pytester) -> None:
    (pytester.path / "suite.toml").write_text(FREE_TITLE)
    (pytester.path / "tasks.yaml").write_text(TWO_CALLS)

    result = pytester.runpytest_inprocess("suite.toml", "--model=lexical", "-v", "--mcpbench-out=out")

    result.stdout.fnmatch_lines(["= add_note(title='Groceries')*add_note(title=*"])
    assert "title: expected" not in result.stdout.str()
    ((_, record),) = read_records(pytester.path / "out")
    assert [row.verdict for row in record.comparison] == ["same", "missing"]


def test_a_server_that_fails_in_mcp_tools_is_told_without_internals(suite: pytest.Pytester) -> None:
    (suite.path / "broken.mcpbench.yaml").write_text(
        "servers: {broken: {command: python, arguments: [-c, \"raise SystemExit('no key')\"]}}\ntasks: []\n"
    )
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.mcpbench(suite="broken.mcpbench.yaml")
        def test_tools(mcp_tools):
            assert mcp_tools
        """
    )
    result = suite.runpytest_inprocess(
        Path(suite.path / "test_a_server_that_fails_in_mcp_tools_is_told_without_internals.py")
    )
    result.assert_outcomes(errors=1)
    lines = result.stdout.str().partition("ERROR at setup of")[2].splitlines()
    assert lines[1].startswith("server 'broken' failed to start: its process ended before it was ready")
    assert "loop_thread" not in result.stdout.str()


@pytest.mark.parametrize("option", ["json", "markdown"])
def test_the_directory_of_a_report_is_made_before_the_run(suite: pytest.Pytester, option: str) -> None:
    suite.runpytest_inprocess("--model=noop", f"--mcpbench-{option}=new/deep/report").assert_outcomes(failed=1)
    assert (suite.path / "new" / "deep" / "report").is_file()


def test_a_report_that_cannot_be_written_ends_the_run_at_its_start(suite: pytest.Pytester) -> None:
    (suite.path / "new").write_text("")
    result = suite.runpytest_inprocess("--model=oracle", "--mcpbench-json=new/report.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines("ERROR: --mcpbench-json: the directory * cannot be made: *")
