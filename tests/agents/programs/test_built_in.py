"""Built-in programs, for real, whose models a script plays on the loopback interface."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server import MCPServer

from fixtures.chat_server import Answer, ChatServer, chat_server, fails
from fixtures.provider_dialects import READ, WRITTEN, Reply, calls_then_says, dialect_of
from pytest_mcpbench.agents.programs.agent_table import AgentTable
from pytest_mcpbench.agents.programs.built_in import BUILT_IN
from pytest_mcpbench.agents.programs.external_agent import ExternalAgent
from pytest_mcpbench.agents.programs.factory import make_external_agent
from pytest_mcpbench.agents.programs.program import LOADED_MACHINE, ProgramReport, ReportedMessage, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ProxiedServer
from pytest_mcpbench.clients.profile import load_profile
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Context, Turn
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import Usage
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_task
from tests.servers.subjects import a_suite, an_arena

PROGRAMS = Path(os.environ.get("MCPBENCH_TEST_SERVERS", ".venv-servers")).resolve() / "agents/node_modules/.bin"
TABLES = {
    "claude-code": {
        "command": str(PROGRAMS / "claude"),
        "environment": {"ANTHROPIC_BASE_URL": "{origin}", "ANTHROPIC_API_KEY": "sk-ant-stub"},
    },
    "codex": {
        "command": str(PROGRAMS / "codex"),
        "arguments": [
            *("--config", "model_provider=stub"),
            *(
                "--config",
                "model_providers.stub={{name='stub', base_url='{url}', wire_api='responses', env_key='KEY'}}",
            ),
        ],
        "environment": {"KEY": "stub"},
        "model": "gpt-5.1",
    },
    "gemini-cli": {
        "command": str(PROGRAMS / "gemini"),
        "environment": {"GOOGLE_GEMINI_BASE_URL": "{origin}", "GEMINI_API_KEY": "stub"},
        "model": "gemini-2.5-flash",
    },
    "opencode": {
        "command": str(PROGRAMS / "opencode"),
        "environment": {"OPENCODE_CONFIG": "{directory}/opencode.json"},
        "model": "stub/m",
    },
}


def needs(program: str) -> None:
    command = Path(str(TABLES[program]["command"]))
    if not command.is_file():
        pytest.skip(f"{command} is missing: .ci/setup installs claude-code and codex, `npm install` the others there")


def an_agent(program: str, server: ChatServer, directory: Path) -> ExternalAgent:
    needs(program)
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": server.url}, "models": {"m": {}}}
    (directory / "opencode.json").write_text(json.dumps({"provider": {"stub": provider}}))
    values = {"url": server.url, "directory": str(directory), "origin": server.url.removesuffix("/v1")}
    table = {
        key: {name: each.format(**values) for name, each in value.items()}
        if isinstance(value, dict)
        else [each.format(**values) for each in value]
        if isinstance(value, list)
        else value
        for key, value in TABLES[program].items()
    }
    return make_external_agent(f"agent:{program}", {program: table})


def attempt(
    program: str,
    server: ChatServer,
    directory: Path,
    turns: tuple[str, ...],
    presentation: Presentation | None = None,
) -> tuple[Trajectory, Workshop]:
    agent = an_agent(program, server, directory)
    workshop = Workshop({"echo": echo}, hidden=("secret",))
    workshop.presentation = presentation
    workshop.directory = directory / "sandbox"
    workshop.directory.mkdir()
    task = a_task(
        turns=tuple(Turn(user=each) for each in turns),
        system="Be brief.",
        context=Context(now="2026-03-01T09:00:00+00:00"),
    )
    return anyio.run(agent.attempt, task, workshop), workshop


@pytest.mark.extra
@pytest.mark.parametrize("program", TABLES)
def test_a_program_calls_the_servers_and_continues_its_session(program: str, tmp_path: Path) -> None:
    with chat_server(calls_then_says("echo", {"n": 1})) as server:
        made, workshop = attempt(program, server, tmp_path, ("First", "Second"))
        asked = server.bodies
    assert [[call.name for call in step.calls] for step in made.steps] == [["echo"], [], ["echo"], []]
    assert [step.turn for step in made.steps] == [0, 0, 1, 1]
    assert "{'n': 1}" in made.answer
    assert (made.usage.input_tokens, made.usage.output_tokens) == (4 * READ, 4 * WRITTEN)
    assert "First" in str(asked[-1])
    assert "Be brief." in str(asked[0])
    assert not list(workshop.directory.iterdir())
    assert made.notes["program_date"] in str(asked[0]), "its own date, noted"
    assert made.notes["task_date"] == "2026-03-01T09:00:00+00:00"
    offered = made.notes.get("own_tools_offered", "").split(", ")
    assert ("request_user_input" in offered) == (program == "codex")
    assert ("own_skills_offered" in made.notes) == (program == "codex")
    assert ("skill-creator" in str(asked[0])) == (program == "codex")
    names = str(asked[0].get("tools"))
    assert "echo" in names
    assert not any(f"'{each}'" in names for each in ("Bash", "exec_command", "shell", "web_search", "WebFetch", "Read"))


def searches_then_calls(body: dict[str, Any]) -> Answer:
    dialect = dialect_of(body)
    names, results = dialect.tools(body), dialect.results(body)
    echo_name = next((name for name in names if name.endswith("echo")), None)
    if echo_name is None and "ToolSearch" in names:
        return dialect.answer(body, Reply(tool="ToolSearch", arguments='{"query": "echo", "max_results": 5}'))
    if echo_name is None or any("'n': 1" in result for result in results):
        return dialect.answer(body, Reply(text="Done."))
    return dialect.answer(body, Reply(tool=echo_name, arguments='{"n": 1}'))


@pytest.mark.extra
@pytest.mark.parametrize(("presentation", "own"), [("listed", None), ("search", "ToolSearch")])
def test_claude_code_shows_tools_as_it_is_told(presentation: Presentation, own: str | None, tmp_path: Path) -> None:
    with chat_server(searches_then_calls) as server:
        made, _ = attempt("claude-code", server, tmp_path, ("First",), presentation)
        asked = server.bodies
    shown = [tool["name"] for body in asked for tool in body.get("tools", ()) if not tool.get("defer_loading")]
    assert any(name.endswith("echo") for name in shown) == (presentation == "listed")
    assert ("ToolSearch" in shown) == (presentation == "search")
    assert [call.name for step in made.steps for call in step.calls] == ["echo"]
    assert (made.notes.get("own_tools_offered"), made.notes.get("own_tools")) == (own, own)


@pytest.mark.extra
@pytest.mark.parametrize(("program", "tool"), [("claude-code", "ReadMcpResourceTool"), ("codex", "read_mcp_resource")])
def test_the_model_of_a_program_can_read_a_resource(program: str, tool: str, tmp_path: Path) -> None:
    shop = MCPServer("shop")
    shop.resource("shop://hours", name="hours")(lambda: "9 to 5")
    shop.tool(name="buy")(lambda: "bought")
    ref = ServerRef(name="shop", transport="in_process", factory=shop)

    async def play(server: ChatServer) -> Trajectory:
        async with an_arena(a_suite(ref), Sandbox(path=tmp_path / "sandbox")) as arena:
            return await an_agent(program, server, tmp_path).attempt(a_task(), arena)

    (tmp_path / "sandbox").mkdir()
    with chat_server(calls_then_says(tool, {"server": "shop", "uri": "shop://hours"})) as server:
        made = anyio.run(play, server)
    (read,) = (read for step in made.steps for read in step.reads)
    assert (read.target, read.result and read.result.text) == ("shop://hours", "9 to 5")
    assert "9 to 5" in made.answer
    assert tool in made.notes["own_tools_offered"]


@pytest.mark.extra
@pytest.mark.parametrize("program", ["claude-code"])
def test_a_provider_that_refuses_is_an_error(program: str, tmp_path: Path) -> None:
    with chat_server(lambda _body: fails(404, "no such model")) as server, pytest.raises(AgentError) as raised:
        attempt(program, server, tmp_path, ("First",))
    assert str(raised.value).startswith(f"agent:{program}: ")


@pytest.mark.parametrize(("presentation", "switch"), [(None, None), ("listed", "false"), ("search", "true")])
def test_claude_code_keeps_its_default_unless_it_is_told_how_to_show_tools(
    presentation: Presentation | None, switch: str | None, tmp_path: Path
) -> None:
    workplace = Workplace("Hi", "", (), tmp_path, tmp_path, tmp_path / "mcp.json", presentation=presentation)
    launch = BUILT_IN["claude-code"].make(AgentTable()).launch(workplace)
    assert launch.environment.get("ENABLE_TOOL_SEARCH") == switch


@pytest.mark.parametrize("program", ["claude-code", "codex", "opencode"])
def test_a_program_waits_for_the_proxies_before_it_asks_its_model(program: str, tmp_path: Path) -> None:
    server = ProxiedServer("shop", ("buy",), url="http://127.0.0.1:1/x")
    workplace = Workplace("Hi", "", (server,), tmp_path, tmp_path, tmp_path / "mcp.json")
    launch = BUILT_IN[program].make(AgentTable()).launch(workplace)
    settings = [str(dict(launch.environment)), *(path.read_text() for path in tmp_path.glob(".codex/config.toml"))]
    limits = {"claude-code": ("'MCP_CONNECT_TIMEOUT_MS': '600000'",), "opencode": ('"timeout": 600000',)}
    for setting in limits.get(program, ("startup_timeout_sec = 600\n", "required = true\n")):
        assert setting in "".join(settings)


CLAUDE = """\
{"type":"system","subtype":"init","session_id":"s-1","mcp_servers":[{"name":"server","status":"connected"}],\
"tools":["ToolSearch","mcp__server__a"]}
{"type":"assistant","message":{"id":"m-1","model":"claude-x","content":[{"type":"text","text":"I look."}]}}
{"type":"assistant","message":{"id":"m-1","model":"claude-x","content":[{"type":"tool_use","name":"mcp__server__a"}]}}
{"type":"assistant","message":{"id":"m-1","model":"claude-x","content":[{"type":"tool_use","name":"Bash"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"42","session_id":"s-1","total_cost_usd":0.5,\
"usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":1}}
"""
CODEX = """\
{"type":"thread.started","thread_id":"t-1"}
{"type":"item.completed","item":{"type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"type":"agent_message","text":"42"}}
{"type":"turn.completed","usage":{"input_tokens":111,"cached_input_tokens":100,"output_tokens":5}}
"""


EXEC = "Run JavaScript.\n### `apply_patch`\nPatch.\n### `mcp__shop__buy`\nBuy.\n## clock\n### `clock__curr_time`\n"
SKILLS = """\
Each entry is like this:
- name: description
### Available skills
- docs: Read it: always. (file: r0/docs/SKILL.md)
- my.own: Write "it". (file: /home/.codex/skills/own/SKILL.md)
"""
REQUEST = {
    "model": "gpt",
    "tools": [
        {"name": "view", "type": "function"},
        {"name": "mcp__shop", "type": "namespace", "tools": [{"name": "buy"}]},
    ],
    "input": [
        {
            "type": "additional_tools",
            "tools": [{"name": "functions", "tools": [{"name": "exec", "description": EXEC}, {"name": "view"}]}],
        },
        {"type": "message", "role": "developer", "content": [{"text": SKILLS}]},
        {"type": "message", "role": "user", "content": [{"text": SKILLS.replace("docs", "of-a-user")}]},
        {"type": "message", "content": [{"text": "<current_date>2026-11-28</current_date>"}]},
    ],
}


def test_own_tools_skills_and_the_date_of_codex_are_those_of_its_requests(tmp_path: Path) -> None:
    server = ProxiedServer("shop", ("buy",), url="http://127.0.0.1:1/x")
    workplace = Workplace("Hi", "", (server,), tmp_path, tmp_path, tmp_path / "mcp.json")
    launch = BUILT_IN["codex"].make(AgentTable()).launch(workplace)
    payloads = Path(launch.environment["CODEX_ROLLOUT_TRACE_ROOT"]) / "trace-1/payloads"
    payloads.mkdir(parents=True)
    for name, text in {"1": json.dumps(REQUEST), "2": '{"input": "x"}', "3": '{"input": [', "4": "[]"}.items():
        (payloads / f"{name}.json").write_text(text, encoding="utf-8")
    assert launch.complete is not None
    report = launch.complete(ProgramReport(answer="42"))
    tools, skills = ("view", "exec", "apply_patch", "clock__curr_time"), ("docs", "my.own")
    assert report == ProgramReport(answer="42", own_offer=tools, own_skills=skills, date="2026-11-28")


GOOSE = """\
{"messages": [
  {"role": "user", "content": [{"type": "text", "text": "Which?"}]},
  {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "toolRequest", "id": "c-1",
   "toolCall": {"status": "success", "value": {"name": "abc__echo", "arguments": {}}}}]},
  {"role": "user", "content": [{"type": "toolResponse", "id": "c-1", "toolResult": {"status": "success"}}]},
  {"role": "assistant", "content": [{"type": "text", "text": "42"}]}],
 "metadata": {"total_tokens": 116, "status": "completed"}}
"""


def test_goose_reports_messages_and_a_provider_that_failed_is_no_answer() -> None:
    goose = BUILT_IN["goose"].make(AgentTable())
    report = goose.report(GOOSE)
    assert (report.answer, report.error, report.usage) == ("42", "", Usage())
    assert report.messages == (ReportedMessage("I look.", ("abc__echo",)), ReportedMessage("42"))
    failed = goose.report(GOOSE.replace('"42"', '"Ran into this error: 401 Unauthorized."'))
    assert (failed.answer, failed.error) == ("", "Ran into this error: 401 Unauthorized.")
    assert goose.report('{"messages": []}').error == "ended without a message of its model"


def test_goose_gets_the_servers_as_its_only_extensions(tmp_path: Path) -> None:
    server = ProxiedServer("shop", ("buy",), url="http://127.0.0.1:1/x")
    workplace = Workplace("Hi", "Be brief.", (server,), tmp_path, tmp_path, tmp_path / "mcp.json", model="m")
    launch = BUILT_IN["goose"].make(AgentTable()).launch(workplace)
    assert launch.stdin == "Be brief.\n\nHi"
    line = " ".join(launch.arguments)
    assert "--no-profile" in line
    assert line.endswith("--with-streamable-http-extension http://127.0.0.1:1/x --model m --instructions -")


@pytest.mark.parametrize(
    ("program", "output", "session", "own", "offered", "cost"),
    [
        ("claude-code", CLAUDE, "s-1", ("Bash",), ("ToolSearch",), 0.5),
        ("codex", CODEX, "t-1", ("command_execution",), (), None),
    ],
)
def test_the_output_says_answer_session_tokens_and_own_tools(
    program: str, output: str, session: str, own: tuple[str, ...], offered: tuple[str, ...], cost: float | None
) -> None:
    report = BUILT_IN[program].make(AgentTable()).report(output)
    usage = Usage(input_tokens=111, output_tokens=5, cached_tokens=100, cost_usd=cost)
    assert (report.answer, report.session, report.own_calls, report.usage) == ("42", session, own, usage)
    assert report.own_offer == offered


@pytest.mark.parametrize(
    ("program", "output", "error"),
    [
        (
            "claude-code",
            '{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}',
            "Invalid API key",
        ),
        ("claude-code", '{"type":"system"}', "ended without a result"),
        (
            "claude-code",
            CLAUDE.replace("connected", "pending"),
            f"asked its model without the tools of server 'server' (pending). {LOADED_MACHINE}",
        ),
        ("codex", '{"type":"turn.failed","error":{"message":"no such model"}}', "no such model"),
        ("codex", '{"type":"turn.started"}', "ended before its turn was complete"),
    ],
)
def test_the_output_says_why_a_program_could_not_work(program: str, output: str, error: str) -> None:
    assert BUILT_IN[program].make(AgentTable()).report(output).error == error


def test_a_limit_of_the_program_itself_is_no_error() -> None:
    output = '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":1.5}'
    report = BUILT_IN["claude-code"].make(AgentTable()).report(output)
    assert (report.stop, report.error) == ("cost_limit", "")


@pytest.mark.parametrize(
    ("version", "note"),
    [("9.9.9 (Claude Code)", "9.9.9 (Claude Code), checked with 2.1.197"), ("2.1.197 (Claude Code)", None)],
)
def test_another_version_than_the_checked_one_is_noted(tmp_path: Path, version: str, note: str | None) -> None:
    result = json.dumps({"type": "result", "subtype": "success", "result": "Done.", "session_id": "1"})
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}' || echo '{result}'\n")
    program.chmod(0o755)
    agent = make_external_agent(
        "agent:claude-code", {"claude-code": {"command": [str(program)], "may_skip_servers": True}}
    )
    workshop = Workshop({"echo": echo})
    workshop.directory = tmp_path
    trajectory = anyio.run(agent.attempt, a_task(), workshop)
    assert (trajectory.answer, trajectory.notes.get("unchecked_program")) == ("Done.", note)


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_checked_version_is_that_of_the_profile(name: str) -> None:
    assert BUILT_IN[name].checked == load_profile(name, Path()).version
