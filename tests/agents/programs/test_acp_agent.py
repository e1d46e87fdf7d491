"""Agents of the Agent Client Protocol, for real: sessions, permissions, limits and what cannot work."""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import fixtures
from pytest_mcpbench.agents.programs.factory import agent_identity, make_external_agent
from pytest_mcpbench.core.errors import AgentError, UsageError
from pytest_mcpbench.core.task import Limits, Message, Task, Turn
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.runs.records import read_records
from pytest_mcpbench.servers.isolation import IsolationMode
from tests.agents.programs.test_simplest_agent import FILES, TASK
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_task

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("acp") is None, reason="needs agent-client-protocol: pip install 'pytest-mcpbench[acp]'"
)
ROOT = str(Path(str(fixtures.__path__[0])).parent)
START = (
    f"import sys, runpy; sys.path.insert(0, {ROOT!r}); runpy.run_module('fixtures.acp_program', run_name='__main__')"
)


def table(*plan: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"command": [sys.executable, "-S", "-c", START, json.dumps(plan)], "may_skip_servers": True, **fields}


def attempt(
    directory: Path, *plan: dict[str, Any], task: Task | None = None, isolation: IsolationMode = "none", **fields: Any
) -> Trajectory:
    workshop = Workshop({"echo": echo}, hidden=("secret",))
    workshop.directory = directory / "sandbox"
    workshop.directory.mkdir()
    agent = make_external_agent("acp:plan", {"plan": table(*plan, **fields)}, isolation=isolation)
    made = asyncio.run(agent.attempt(task or a_task(), workshop))
    assert [each.name for each in directory.iterdir()] == ["sandbox"]
    return made


def call(**arguments: Any) -> dict[str, Any]:
    return {"call": ["echo", arguments]}


def say(text: str) -> dict[str, Any]:
    return {"say": text}


def test_calls_are_recorded_and_the_last_message_is_the_answer(tmp_path: Path) -> None:
    made = attempt(tmp_path, say("I look."), call(n=1), say(" Done."))
    step, last = made.steps
    (record,) = step.calls
    assert (record.tool, record.arguments, record.result) == ("echo", {"n": 1}, ToolResult.of_text("{'n': 1}"))
    assert (last.text, made.stop, made.notes) == ("{'n': 1} Done.", "answered", {"program": "planned 1.2"})
    assert made.usage == Usage(input_tokens=110, output_tokens=5, cached_tokens=100)


@pytest.mark.bwrap
@pytest.mark.usefixtures("bwrap")
def test_an_isolated_agent_reaches_its_servers(tmp_path: Path) -> None:
    assert attempt(tmp_path, call(n=1), isolation="bwrap").answer == "{'n': 1}"


def test_turns_are_prompts_of_one_session_whose_cost_is_a_sum(tmp_path: Path) -> None:
    turns = (Turn(user="One?"), Turn(user="Two?"))
    made = attempt(tmp_path, {"prompt": True}, {"cost": 0.5}, task=a_task(turns=turns, system="Be brief."))
    assert [step.text for step in made.steps] == ["Be brief.\n\nOne?", "Two?"]
    assert [step.usage.cost_usd for step in made.steps] == [0.5, 0.0]


def test_a_recorded_reply_takes_the_place_of_the_agents_own(tmp_path: Path) -> None:
    first = Turn(user="One?", gold=(Message(role="assistant", text="Recorded."),))
    made = attempt(tmp_path, {"prompt": True}, task=a_task(turns=(first, Turn(user="Two?"))))
    assert "User: One?\n\nAssistant: Recorded.\n\nUser: Two?" in made.answer


@pytest.mark.parametrize(
    ("title", "kind", "answer"),
    [
        ("echo", "other", "my-allow_once"),
        ("server/echo", "execute", "my-allow_once"),
        ("mcp__server__echo", "other", "my-allow_once"),
        ("echo", "execute", "my-reject_once"),
        ("cat echo", "read", "my-reject_once"),
        ("secret", "other", "my-reject_once"),
        ("mcp__server__secret", "other", "my-reject_once"),
        ("rm -r .", "execute", "my-reject_once"),
    ],
)
def test_a_permission_is_given_for_the_tools_of_the_task_alone(
    tmp_path: Path, title: str, kind: str, answer: str
) -> None:
    made = attempt(tmp_path, {"ask": [title, kind]})
    assert json.loads(made.answer) == {"outcome": {"outcome": "selected", "optionId": answer}}
    assert made.notes.get("own_tools") == (None if "allow" in answer else title)


def test_an_agent_that_opens_no_session_without_it_is_told_how_to_log_in(tmp_path: Path) -> None:
    assert attempt(tmp_path, {"login": "key"}, say("Done."), authentication="key").answer == "Done."


def test_other_programs_are_not_told_how_to_log_in() -> None:
    with pytest.raises(UsageError, match=r"agents\].plan.authentication: only has an effect with acp:plan"):
        make_external_agent("agent:plan", {"plan": table(authentication="key")})


def test_files_are_not_offered(tmp_path: Path) -> None:
    assert json.loads(attempt(tmp_path, {"read": "/etc/passwd"}).answer)["code"] == -32601


@pytest.mark.parametrize(
    ("reason", "stop", "finish"),
    [
        ("max_tokens", "output_too_long", None),
        ("max_turn_requests", "round_limit", None),
        ("refusal", "declined", "refusal"),
    ],
)
def test_the_reason_why_a_turn_ended_is_kept(tmp_path: Path, reason: str, stop: str, finish: str | None) -> None:
    made = attempt(tmp_path, say("Half a"), {"stop": reason})
    assert (made.stop, made.steps[-1].finish_reason) == (stop, finish)


@pytest.mark.parametrize(
    ("plan", "fields", "message"),
    [
        ([{"exit": 3}], {}, "ended with exit code 3 before it answered session/prompt\nlast lines of its stderr:\n"),
        ([{"version": 2}], {}, "speaks version 2 of the protocol, and pytest-mcpbench 1; use a release"),
        (
            [{"error": -32000}],
            {},
            "answered session/prompt with error -32000: Authentication required; give it the key",
        ),
        (
            [{"login": "key"}],
            {},
            "answered session/new with error -32000: Authentication required; give it the key of its provider in "
            "`environment`, and `authentication`, one of 'key', if it has to be told",
        ),
        ([{"stop": "cancelled"}], {}, "cancelled the turn by itself"),
        ([{"stop": "tired"}], {}, "its answer to session/prompt has no usable 'stopReason': "),
        ([], {}, "wrote no answer and called no tool"),
        ([say("x")], {"transport": "http"}, "takes no servers over HTTP (mcpCapabilities.http); leave `transport` out"),
    ],
)
def test_an_agent_that_cannot_work_is_an_error(
    tmp_path: Path, plan: list[dict[str, Any]], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(AgentError) as raised:
        attempt(tmp_path, *plan, **fields)
    assert str(raised.value).startswith(f"acp:plan: {message}")


def test_the_stderr_of_a_crash_is_shown_without_keys_and_the_calls_before_are_kept(tmp_path: Path) -> None:
    with pytest.raises(AgentError) as raised:
        attempt(tmp_path, call(n=1), {"exit": 3})
    assert "no key: " in str(raised.value)
    assert "0123456789abcdef" not in str(raised.value)
    assert raised.value.trajectory is not None
    assert [each.arguments for each in raised.value.trajectory.calls] == [{"n": 1}]


def test_limits_end_the_turn_and_the_process(tmp_path: Path) -> None:
    plan = (call(n=1), call(n=2), {"sleep": 60})
    made = attempt(tmp_path, *plan, task=a_task(limits=Limits(tool_calls=1)))
    assert (made.stop, [each.result is not None for each in made.calls]) == ("call_limit", [True, False])


def test_the_time_limit_ends_an_agent_that_does_not_answer(tmp_path: Path) -> None:
    made = attempt(tmp_path, call(n=1), {"sleep": 60}, task=a_task(limits=Limits(seconds=1.5)))
    assert (made.stop, len(made.calls)) == ("time_limit", 1)


@pytest.mark.parametrize(
    ("name", "tables", "message"),
    [
        ("acp:", {}, "acp:: no command follows; write one that starts an agent, such as acp:'python agent.py'"),
        ("acp:nonesuch --x", {}, "acp:nonesuch --x: the command 'nonesuch' is not there"),
        ("acp:sh 'x", {}, "acp:sh 'x: it is no command: No closing quotation"),
        ("acp:mine", {"mine": {}}, "acp:mine: [tool.mcpbench.agents].mine has no `command`; write one"),
        ("acp:mine", {"mine": {"command": "sh", "resume": "sh"}}, "[tool.mcpbench.agents].mine.resume: has no effect"),
        ("acp:sh {promt}", {}, "{promt} is no placeholder"),
    ],
)
def test_what_cannot_work_is_said_before_the_first_task(name: str, tables: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_external_agent(name, tables)
    assert message in str(raised.value)


def test_the_identity_names_the_command() -> None:
    assert agent_identity("acp:sh a", {}) != agent_identity("acp:sh b", {})


def test_the_agent_of_the_documentation_passes_a_task(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("acp_agent.py").write_text(FILES["acp_agent.py"], encoding="utf-8")
    pytester.path.joinpath("notes.mcpbench.yaml").write_text(TASK, encoding="utf-8")
    result = pytester.runpytest_inprocess(
        f"--model=acp:{sys.executable} acp_agent.py", "-p", "no:xdist", "--mcpbench-out=out"
    )
    result.assert_outcomes(passed=1)
    ((_, record),) = read_records(pytester.path / "out")
    assert record.evidence is not None
    assert [(call.tool, call.arguments) for call in record.evidence.calls] == [("read_note", {"title": "Shopping"})]
    assert record.evidence.trajectory.answer == "milk, eggs"


def test_a_package_that_is_missing_is_said_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(
        UsageError, match=r"acp:sh: needs agent-client-protocol, .*: pip install 'pytest-mcpbench\[acp\]'"
    ):
        make_external_agent("acp:sh", {})
