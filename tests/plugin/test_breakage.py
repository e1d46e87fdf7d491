"""What breaks gives one clear error in its place, and the other tasks still run."""

import json
import sys
from pathlib import Path

import pytest

import fixtures.servers.odd

_ODD = f"{sys.executable} {fixtures.servers.odd.__file__}"
_GOOD = """\
  - id: good
    ask: Say hello.
    servers: [good]
    tool: echo
    arguments: {}
"""


def _project(pytester: pytest.Pytester, behaviour: str, tool: str = "echo", timeouts: str = "") -> None:
    """A good task and one on a server that misbehaves."""
    pytester.makefile(
        ".mcpbench.yaml",
        odd=f"""\
exposure: selected
servers:
  good: {{command: "{_ODD}"}}
  bad: {{command: "{behaviour}"{timeouts}}}
tasks:
  - id: bad
    ask: Say hello.
    servers: [bad]
    tool: {tool}
    arguments: {{}}
{_GOOD}""",
    )
    pytester.makeini("[pytest]\nfilterwarnings = default\n")


@pytest.mark.extra
@pytest.mark.parametrize(
    ("behaviour", "tool", "timeouts", "message"),
    [
        pytest.param("no-such-command --now", "echo", "", "*'bad' failed to start*no-such-command*", id="no command"),
        pytest.param(f"{_ODD} exit", "echo", "", "*'bad' failed to start*", id="exits at start"),
        pytest.param(f"{_ODD}", "crash", "", "*'bad' failed to call*", id="exits in a call"),
        pytest.param(
            f"{_ODD} silent",
            "echo",
            ", timeouts: {start_seconds: 0.5}",
            "*'bad' failed to start*0.5*",
            id="never answers",
        ),
    ],
)
def test_a_broken_server_is_an_error_of_its_tasks_only(
    pytester: pytest.Pytester, behaviour: str, tool: str, timeouts: str, message: str
) -> None:
    _project(pytester, behaviour, tool, timeouts)
    result = pytester.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([message])
    assert "Traceback (most recent call last)" not in result.stdout.str()


@pytest.mark.parametrize(
    ("expected", "outcome", "line"),
    [
        pytest.param("echo", {"failed": 1}, "*tool_success 0 (0 of 1)*", id="another call than the reference"),
        pytest.param("silent", {"errors": 1}, "*'bad' failed to call: silent() had no reply*", id="the reference call"),
    ],
)
def test_a_call_that_is_not_answered_is_an_error_of_the_server_if_it_is_right(
    pytester: pytest.Pytester, expected: str, outcome: dict[str, int], line: str
) -> None:
    _project(pytester, _ODD, expected, ", timeouts: {call_seconds: 0.3}")
    script = [{"calls": [{"id": "1", "name": "silent", "arguments": {}}]}, {"text": "It is silent."}]
    pytester.path.joinpath("script.json").write_text(json.dumps(script))
    result = pytester.runpytest_inprocess(
        "--model=scripted:script.json", "--mcpbench-floor=tool_success=1", "-k", "bad"
    )
    result.assert_outcomes(**outcome)
    result.stdout.fnmatch_lines([line])


@pytest.mark.parametrize(
    ("timeouts", "options"),
    [
        pytest.param(", timeouts: {call_seconds: 0.3}", [], id="within the time of a call"),
        pytest.param("", ["--mcpbench-seconds=0.5"], id="within the time of an attempt"),
    ],
)
def test_a_reference_call_that_is_not_answered_is_an_error_of_the_server(
    pytester: pytest.Pytester, timeouts: str, options: list[str]
) -> None:
    _project(pytester, _ODD, "silent", timeouts)
    result = pytester.runpytest_inprocess("--model=oracle", *options)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["server 'bad' failed to call: the reference call of silent did not return a result: *"]
    )


@pytest.mark.parametrize("model", ["oracle", "noop"])
def test_a_reference_call_of_a_tool_that_there_is_not_names_place_and_nearest(
    pytester: pytest.Pytester, model: str
) -> None:
    _project(pytester, _ODD, "ehco")
    result = pytester.runpytest_inprocess(f"--model={model}", "-k", "bad")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["odd.mcpbench.yaml:6: calls: *'ehco', which no server * offers. Did you mean 'echo'[?]"]
    )


def test_garbage_on_stdout_is_survived(pytester: pytest.Pytester) -> None:
    _project(pytester, f"{_ODD} chatter")
    pytester.runpytest_inprocess("--model=oracle").assert_outcomes(passed=2)


def test_a_cut_off_line_is_an_error_that_names_it(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("mcp.json").write_text(
        json.dumps({"mcpServers": {"good": {"command": sys.executable, "args": [fixtures.servers.odd.__file__]}}})
    )
    lines = ['{"id": "one", "ask": "Say hello.", "tool": "echo"}', '{"id": "two", "ask": "Say']
    pytester.path.joinpath("cut.mcpbench.jsonl").write_text("\n".join(lines))
    result = pytester.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["cut.mcpbench.jsonl:2: *"])


def test_two_tasks_with_one_id_are_an_error_that_names_both_places(project: pytest.Pytester) -> None:
    path = Path(project.path / "notes.mcpbench.yaml")
    path.write_text(path.read_text().replace("id: add-idea", "id: read-shopping"))
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["notes.mcpbench.yaml:10: id: 'read-shopping' is already*notes.mcpbench.yaml:5*"])


def test_a_model_that_does_not_exist_names_the_nearest(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=claud")
    result.stderr.fnmatch_lines(["ERROR: no model is called 'claud'. Did you mean 'claude' *"])


def test_a_manifest_that_is_wrong_names_line_and_field(project: pytest.Pytester) -> None:
    project.path.joinpath("suite.toml").write_text(
        'title = "x"\n[[files]]\npath = "notes.mcpbench.yaml"\nloder = "x"\n'
    )
    result = project.runpytest_inprocess("--suite=.")
    result.stdout.fnmatch_lines(["*suite.toml:4: files*loder*loader*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
