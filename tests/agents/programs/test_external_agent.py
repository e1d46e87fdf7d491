"""Programs as agents: what the proxies record, what the output says, and what a program may not do."""

import os
import socket
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.programs.factory import agent_identity, check_port, make_external_agent
from pytest_mcpbench.core.errors import AgentError, ServerError, UsageError
from pytest_mcpbench.core.task import Limits, Message, Turn
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.servers.leftovers import start_time
from tests.agents.programs.programs import attempt, fail, table
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_task, a_tool


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"call": ["server", tool, arguments]}


def say(text: str) -> dict[str, Any]:
    return {"print": text}


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_calls_are_recorded_by_the_proxies_and_the_output_is_the_answer(tmp_path: Path, transport: str) -> None:
    made = attempt(tmp_path, call("echo", n=1), say("Done."), transport=transport)
    (step, last) = made.steps
    (record,) = step.calls
    assert (record.name, record.tool, record.server, record.arguments) == ("echo", "echo", "server", {"n": 1})
    assert record.result == ToolResult.of_text("{'n': 1}")
    assert last.text == "{'n': 1}\nDone."
    assert (made.stop, made.usage) == ("answered", Usage())
    assert os.listdir(tmp_path) == ["sandbox"]  # noqa: PTH208 - names are compared


def test_calls_that_overlap_are_one_step_and_results_that_are_errors_arrive(tmp_path: Path) -> None:
    meeting = anyio.Event()
    waiting = []

    async def meet(_arguments: dict[str, Any]) -> str:
        waiting.append(1)
        if len(waiting) == 2:
            meeting.set()
        await meeting.wait()
        return "met"

    both = {"calls": [["server", "meet", {}], ["server", "meet", {}]]}
    made = attempt(tmp_path, both, call("fail"), tools={"meet": meet, "fail": fail})
    assert [[each.name for each in step.calls] for step in made.steps] == [["meet", "meet"], ["fail"], []]
    assert made.answer == "met\nmet\nno such note"


def test_only_exposed_tools_are_listed_and_can_be_called(tmp_path: Path) -> None:
    made = attempt(tmp_path, {"list": "server"}, call("secret"), call("nonesuch"))
    assert made.answer.splitlines()[0] == "echo"
    assert [each.problem for each in made.calls] == ["not_exposed", "unknown_tool"]


def test_a_program_that_calls_no_tool_has_an_answer_to_score(tmp_path: Path) -> None:
    made = attempt(tmp_path, {"forget": True}, say("42"))
    assert (made.calls, made.answer, made.stop) == ((), "42", "answered")


@pytest.mark.parametrize("actions", [[{"list": "server"}], [call("echo")]], ids=["listed", "called"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_program_that_lists_or_calls_tools_has_seen_them(
    tmp_path: Path, actions: list[dict[str, Any]], transport: str
) -> None:
    made = attempt(tmp_path, *actions, say("42"), may_skip_servers=False, transport=transport)
    assert made.answer.endswith("42")


@pytest.mark.parametrize(
    ("plan", "limits", "server"),
    [
        ([say("42")], Limits(), "'server', 'second'"),
        ([call("echo"), call("echo")], Limits(tool_calls=1), "'second'"),
        ([call("echo"), {"sleep": 60}], Limits(seconds=0.7), "'second'"),
    ],
    ids=["answered", "at a limit", "out of time"],
)
def test_a_program_that_never_lists_the_tools_of_a_server_is_an_error_and_no_failure(
    tmp_path: Path, plan: list[dict[str, Any]], limits: Limits, server: str
) -> None:
    class TwoServers(Workshop):
        @property
        def tools(self) -> tuple[ToolSpec, ...]:
            return (*super().tools, a_tool("other", server="second"))

    workshop = TwoServers({"echo": echo})
    workshop.directory = tmp_path
    agent = make_external_agent("agent:plan", {"plan": table(*plan, may_skip_servers=False)})
    with pytest.raises(AgentError) as raised:
        anyio.run(agent.attempt, a_task(limits=limits), workshop)
    message = str(raised.value)
    assert f"agent:plan: never listed the tools of server {server}. On a loaded machine" in message
    assert "`may_skip_servers = true` in [tool.mcpbench.agents]" in message


@pytest.mark.parametrize(
    ("plan", "fields", "message"),
    [
        (
            [{"stderr": "no key"}, {"exit": 3}],
            {},
            "agent:plan: ended with exit code 3\nlast lines of its stderr:\nno key",
        ),
        (
            [say("no quota"), {"exit": 3}],
            {},
            "agent:plan: ended with exit code 3\nend of its stdout:\nno quota",
        ),
        ([], {}, "agent:plan: wrote no answer and called no tool"),
        ([say("Hello")], {"output": "json"}, "agent:plan: its output is not JSON; it begins with 'Hello'"),
        ([say('{"text": ""}')], {"output": "json"}, "agent:plan: its output has no usable 'answer': Field required"),
        ([{"flood": 20}], {}, "agent:plan: wrote more than 16 MB to stdout"),
    ],
    ids=["exit code", "exit code and output", "nothing", "no JSON", "no answer", "flood"],
)
def test_a_program_that_cannot_work_is_an_error(
    tmp_path: Path, plan: list[dict[str, Any]], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(AgentError) as raised:
        attempt(tmp_path, *plan, **fields)
    assert str(raised.value) == message


def test_the_calls_before_an_error_are_kept(tmp_path: Path) -> None:
    with pytest.raises(AgentError) as raised:
        attempt(tmp_path, call("echo", n=1), {"exit": 1})
    assert raised.value.trajectory is not None
    assert [each.arguments for each in raised.value.trajectory.calls] == [{"n": 1}]


@pytest.mark.parametrize("before", [[], [call("echo")]], ids=["at once", "after a call"])
def test_the_tokens_of_a_program_that_dies_before_its_report_are_unknown(tmp_path: Path, before: list[Any]) -> None:
    with pytest.raises(AgentError) as raised:
        attempt(tmp_path, *before, {"exit": 1}, input_price=2, output_price=10)
    assert raised.value.trajectory is not None
    assert raised.value.trajectory.usage == Usage()


@pytest.mark.parametrize(("price", "cost"), [(0, 0), (2, None)])
def test_a_program_that_a_limit_ends_costs_nothing_if_its_tokens_cost_nothing(
    tmp_path: Path, price: float, cost: float | None
) -> None:
    task = a_task(limits=Limits(tool_calls=1))
    made = attempt(tmp_path, call("echo"), call("echo"), task=task, input_price=price, output_price=price)
    assert (made.stop, made.usage) == ("call_limit", Usage(cost_usd=cost))


def test_a_server_that_dies_ends_the_attempt(tmp_path: Path) -> None:
    async def die(_arguments: dict[str, Any]) -> str:
        raise ServerError("it died", "server", "call")

    with pytest.raises(ServerError):
        attempt(tmp_path, call("die"), {"sleep": 60}, tools={"die": die})


@pytest.mark.parametrize(
    ("limits", "stop", "made"),
    [
        (Limits(tool_calls=1), "call_limit", [1, None]),
        (Limits(rounds=1), "round_limit", [1, None]),
        (Limits(repeats=1), "repetition", [1, None]),
    ],
)
def test_a_limit_ends_the_program(tmp_path: Path, limits: Limits, stop: str, made: list[int | None]) -> None:
    done = attempt(tmp_path, call("echo"), call("echo"), {"sleep": 60}, task=a_task(limits=limits))
    assert (done.stop, [each.result and 1 for each in done.calls]) == (stop, made)


def test_the_time_limit_ends_everything_that_a_program_has_started(tmp_path: Path) -> None:
    daemon = tmp_path / "pid"
    plan = ({"daemon": str(daemon)}, call("echo"), {"sleep": 60})
    made = attempt(tmp_path, *plan, task=a_task(limits=Limits(seconds=0.7)))
    assert (made.stop, len(made.calls)) == ("time_limit", 1)
    assert not start_time(int(daemon.read_text()))


def test_a_program_that_does_nothing_until_the_time_limit_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"agent:plan: did nothing within the attempt's time limit of 0.3 s"):
        attempt(tmp_path, {"sleep": 60}, task=a_task(limits=Limits(seconds=0.3)))


def test_a_daemon_that_keeps_the_output_open_ends_with_its_program(tmp_path: Path) -> None:
    daemon = tmp_path / "pid"
    assert attempt(tmp_path, {"daemon": str(daemon)}, say("42")).answer == "42"
    assert not start_time(int(daemon.read_text()))


def test_json_says_tokens_and_the_table_their_price(tmp_path: Path) -> None:
    report = '{"answer": "42", "input_tokens": 1000, "output_tokens": 100, "model": "m-1", "more": 1}'
    made = attempt(tmp_path, say(report), output="json", input_price=2, output_price=10)
    assert (made.answer, made.notes["answered_by"]) == ("42", "m-1")
    assert made.usage == Usage(input_tokens=1000, output_tokens=100, cached_tokens=None, cost_usd=0.003)


def test_a_program_gets_no_variables_but_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "other")
    monkeypatch.setenv("MY_API_KEY", "mine")
    plan = ({"environment": "OTHER_API_KEY"}, {"environment": "KEY"})
    assert attempt(tmp_path, *plan, environment={"KEY": "${MY_API_KEY}"}).answer == "not set\nmine"


@pytest.mark.bwrap
@pytest.mark.usefixtures("bwrap")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_an_isolated_program_reaches_its_servers_and_writes_nowhere_else(tmp_path: Path, transport: str) -> None:
    outside = tmp_path / "outside.txt"
    plan = (call("echo", n=1), {"write": ["inside.txt", "in"]}, {"write": [str(outside), "out"]})
    (record,) = attempt(tmp_path, *plan, transport=transport, isolation="bwrap").calls
    assert record.result == ToolResult.of_text("{'n': 1}")
    assert (tmp_path / "sandbox" / "inside.txt").read_text() == "in"
    assert not outside.exists()


def test_later_turns_read_the_conversation_so_far_with_recorded_replies(tmp_path: Path) -> None:
    first = Turn(user="One?", gold=(Message(role="assistant", text="Recorded."),))
    turns = (first, Turn(user="Two?"), Turn(user="Three?"))
    made = attempt(tmp_path, {"print_prompt": True}, task=a_task(turns=turns, system="Be brief."))
    assert [step.turn for step in made.steps] == [0, 1, 2]
    assert made.steps[0].text == "Be brief.\n\nOne?"
    assert "User: One?\n\nAssistant: Recorded.\n\nUser: Two?" in made.steps[1].text
    assert made.answer.endswith("User: Three?")


def test_results_are_cut_for_the_program_only(tmp_path: Path) -> None:
    async def long(_arguments: dict[str, Any]) -> str:
        return "x" * 100

    made = attempt(tmp_path, call("long"), task=a_task(limits=Limits(result_characters=10)), tools={"long": long})
    assert made.answer == "xxxxxxxxxx\n[cut: 10 of 100 characters are shown]"
    assert made.calls[0].result == ToolResult.of_text("x" * 100)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "agent:plan is unknown; there are: "),
        ({"plan": {}}, "agent:plan has no `command`"),
        ({"plan": {"command": "nonesuch x"}}, "agent:plan: the command 'nonesuch' is not there"),
        ({"plan": {"command": "sh {promt}"}}, "[tool.mcpbench.agents].plan: {promt} is no placeholder; there are: "),
        ({"plan": {"program": "cc"}}, "[tool.mcpbench.agents].plan.program: 'cc' is not built in; there are: "),
        ({"plan": {"command": "sh", "environment": {"A": "${NONESUCH}"}}}, "environment variable not set: NONESUCH"),
        ({"plan": {"command": "sh", "version": "sh -c 'exit 2'"}}, "agent:plan: sh -c exit 2 ended with exit code 2"),
        (
            {"plan": {"command": "sh", "port": "high"}},
            "[tool.mcpbench.agents].plan.port: must be a whole number, not text.",
        ),
        (
            {"plan": {"command": "sh", "enviroment": {}}},
            "[tool.mcpbench.agents].plan.enviroment: there is no such field. Did you mean 'environment'?",
        ),
    ],
)
def test_what_cannot_work_is_said_before_the_first_task(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_external_agent("agent:plan", tables)
    assert message in str(raised.value)


def test_a_number_sign_without_a_model_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="agent:plan#: no model follows the #; write agent:plan for the program's own"):
        make_external_agent("agent:plan#", {"plan": {"command": ["true"]}})


def test_a_port_that_is_taken_is_said_before_the_first_task() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"agents\].plan.port: port {port} of 127.0.0.1 is taken"):
            check_port(make_external_agent("agent:plan", {"plan": table(port=port)}))
    with pytest.raises(UsageError, match="2 workers cannot share port 1; run without -n, or leave it out"):
        check_port(make_external_agent("agent:plan", {"plan": table(port=1)}), workers=2)


def test_the_identity_names_version_model_and_command_but_no_variable() -> None:
    one = table(environment={"KEY": "secret"}, version="echo 1.0")
    identity = agent_identity("agent:plan#small", {"plan": one})
    assert "secret" not in identity
    others = (table(version="echo 1.1"), table(say("x"), version="echo 1.0"))
    assert all(agent_identity("agent:plan#small", {"plan": other}) != identity for other in others)
    assert agent_identity("agent:plan", {"plan": one}) != identity


@pytest.mark.extra
def test_two_attempts_with_one_port_take_turns(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    agent = make_external_agent("agent:plan", {"plan": table(call("echo"), port=port)})

    async def both() -> None:
        async with anyio.create_task_group() as group:
            for name in ("a", "b"):
                workshop = Workshop({"echo": echo})
                workshop.directory = tmp_path / name
                workshop.directory.mkdir()
                group.start_soon(agent.attempt, a_task(), workshop)

    anyio.run(both)
