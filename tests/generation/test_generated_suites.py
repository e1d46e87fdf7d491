"""``mcpbench generate --server``: complete suites without a model."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.core.server import ServerRef
from tests.generation.made_suites import passes, tasks_of
from tests.servers.subjects import isolated, npm

KEY = "sk-proj-0123456789abcdefghij0123456789"
SHOP = ("--server", "shop=fixtures.shop_server:server", "--call", "cancel_order")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a dictionary of symbols, as the working directory."""
    (tmp_path / "symbols.json").write_text('{"TSLA": "Tesla", "MSFT": "Microsoft"}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def generate(*arguments: str, out: str = "suites/mine") -> int:
    return main(["generate", *SHOP, "--dictionary", "symbol=symbols.json", "--tasks", "8", "--out", out, *arguments])


def tasks(out: str = "suites/mine") -> list[dict[str, Any]]:
    return tasks_of(out)


def test_a_suite_without_a_model_is_complete_and_passed_by_the_reference_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate() == 0
    shown = capsys.readouterr().out
    assert "choice" in shown
    assert "8 tasks: suites/mine. Next: pytest --suite=suites/mine --model=oracle" in shown
    suite = project / "suites/mine"
    assert sorted(file.name for file in suite.iterdir()) == ["SOURCE.md", "suite.toml", "tasks.jsonl"]
    assert anyio.run(passes, suite, OracleAgent()) == [True] * 8
    assert anyio.run(passes, suite, NoopAgent()) == [False] * 8
    assert {task["tags"]["calls"] for task in tasks()} >= {"1", "2"}
    assert any("<1_result." in json.dumps(task["calls"]) for task in tasks())
    assert not any(code in task["ask"] for task in tasks() for code in ("TSLA", "MSFT"))
    assert any(name in task["ask"] for task in tasks() for name in ("Tesla", "Microsoft"))


@pytest.mark.extra
def test_the_same_seed_makes_the_same_bytes_and_another_one_others(project: Path) -> None:
    for out, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert generate("--seed", seed, "--tasks", "3", out=out) == 0
    first, same, other = ((project / out / "tasks.jsonl").read_bytes() for out in ("a", "b", "c"))
    assert first == same != other


def test_a_tool_that_ends_its_server_is_dropped_and_the_others_are_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fragile = ("--server", "shop=fixtures.shop_server:fragile_server", "--tasks", "2", "--out", "mine")
    assert main(["generate", *fragile]) == 0
    assert "a call of the tool ends its server (1)" in capsys.readouterr().out
    assert anyio.run(passes, project / "mine", OracleAgent()) == [True, True]


@pytest.mark.extra
def test_edited_candidates_reach_the_suite_and_edited_files_of_the_suite_are_set_aside(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate("--tasks", "2") == 0
    file = next((project / "suites/mine.work").glob("*-sense.jsonl"))
    first, *_ = file.read_text().splitlines()
    edited = {**json.loads(first), "request": "Kindly help me with this very special wish of mine."}
    edited["calls"] = [{"id": "1", "server": "shop", "category": "shop", "tool": "list_orders", "arguments": {}}]
    file.write_text(json.dumps(edited) + "\n")
    assert generate("--tasks", "2") == 0
    assert [task["ask"] for task in tasks()] == ["Kindly help me with this very special wish of mine."]
    made = project / "suites/mine/tasks.jsonl"
    assert list(made.parent.glob("*.before")) == []
    made.write_text(made.read_text().replace("very special", "reviewed"))
    assert generate("--tasks", "2") == 0
    assert "reviewed" in (made.parent / "tasks.jsonl.before").read_text()
    assert "the edited one is now tasks.jsonl.before" in capsys.readouterr().out


def test_a_tool_that_may_change_something_is_used_only_if_it_is_named(project: Path) -> None:
    assert main(["generate", *SHOP[:2], "--tasks", "4", "--out", "careful"]) == 0
    text = (project / "careful/tasks.jsonl").read_text()
    assert "cancel_order" not in text
    assert "get_order" in text


@pytest.mark.extra
def test_a_tool_for_which_no_call_succeeds_is_dropped_with_what_would_help(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = ("--server", "shop=fixtures.shop_server:asking_server", "--tasks", "2")
    assert main(["generate", *asking, "--out", "mine"]) == 0
    shown = capsys.readouterr().out
    assert "no value is known for a required path (--files DIR provides files in {sandbox}) (1)" in shown
    assert "no value is known for a required parameter (--dictionary states some) (1)" in shown
    dropped = map(json.loads, (project / "mine.work/02-values.dropped.jsonl").read_text().splitlines())
    details = {each["candidate"]["tool"]: each["detail"] for each in dropped}
    assert "there is no report of 20" in details.pop("_print_report")
    assert details == {"_track_parcel": "tracking_key", "_check_invoice": "invoice_path"}
    (project / "files").mkdir()
    (project / "files/may.txt").touch()
    (project / "keys.json").write_text('{"P1": "the blue parcel"}')
    given = ("--files", "files", "--dictionary", "tracking_key=keys.json")
    assert main(["generate", *asking, *given, "--out", "other"]) == 0
    (left,) = (project / "other.work/02-values.dropped.jsonl").read_text().splitlines()
    assert "_print_report" in left


DESK = """
from typing import Literal
from mcp.server.mcpserver import MCPServer

def desk():
    server = MCPServer("desk", log_level="CRITICAL")
    tickets = {"TCK-1001": "done", "TCK-1002": "open"}
    priorities = dict.fromkeys(tickets, "low")

    @server.tool()
    def list_tickets() -> list[dict[str, str]]:
        "List the tickets."
        return [{"ticket_id": ticket} for ticket in tickets]

    @server.tool()
    def close_ticket(ticket_id: str) -> dict[str, str]:
        "Close a ticket."
        tickets[ticket_id] = "done"
        return {"ticket_id": ticket_id, "status": tickets[ticket_id]}

    @server.tool()
    def get_ticket(ticket_id: str) -> dict[str, str]:
        "Get a ticket."
        return {"ticket_id": ticket_id, "status": tickets[ticket_id], "priority": priorities[ticket_id]}

    @server.tool()
    def find_ticket(ticket_id: str) -> dict[str, str]:
        "Find a ticket by its id."
        return {"ticket_id": ticket_id, "status": tickets[ticket_id], "priority": priorities[ticket_id]}

    @server.tool()
    def describe_ticket(ticket_id: str) -> dict[str, str]:
        "Describe a ticket, with its queue."
        return {**get_ticket(ticket_id), "queue": "office"}

    @server.tool()
    def change_priority(ticket_id: str, priority: Literal["low", "high"]) -> str:
        "Change the priority of a ticket."
        priorities[ticket_id] = priority
        return "ok"

    @server.tool()
    def delete_ticket(ticket_id: str) -> str:
        "Delete an open ticket."
        if tickets[ticket_id] == "open":
            del tickets[ticket_id]
            return "ok"
        raise ValueError("only open tickets can be deleted")

    @server.tool()
    def touch_ticket(ticket_id: str) -> str:
        "Mark a ticket as read."
        return "ok"

    @server.tool()
    def void_ticket(ticket_id: str) -> str:
        "Void a ticket."
        tickets[ticket_id] = "void"
        return "ok"

    return server
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What a run has found for the tools of the desk, by tool."""
    directory = tmp_path_factory.mktemp("desk")
    (directory / "desk.py").write_text(DESK)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        assert main(["generate", "--server", "desk=desk:desk", "--call", "all", "--out", "mine", "--tasks", "4"]) == 0
    found = map(json.loads, (directory / "mine.work/02-values.jsonl").read_text().splitlines())
    return {each["tool"]: each for each in found}


def test_a_tool_that_tells_as_much_is_equal_but_not_one_that_changes_something(desk: dict[str, dict[str, Any]]) -> None:
    equal = {tool: sorted(each["equal_tools"]) for tool, each in desk.items() if each.get("equal_tools")}
    assert equal == {
        "get_ticket": ["describe_ticket", "find_ticket"],
        "find_ticket": ["describe_ticket", "get_ticket"],
    }


def test_a_call_that_should_change_something_and_changes_nothing_is_dropped(desk: dict[str, dict[str, Any]]) -> None:
    assert desk["close_ticket"]["known_arguments"] == [{"ticket_id": "TCK-1002"}]
    # The tool sets the priority of each ticket twice, of which the second change is none in a fresh state.
    assert {each["priority"] for each in desk["change_priority"]["known_arguments"]} == {"high"}


def test_a_tool_that_is_refused_after_changes_is_tried_in_a_fresh_state(desk: dict[str, dict[str, Any]]) -> None:
    assert desk["delete_ticket"]["known_arguments"] == [{"ticket_id": "TCK-1002"}]


def test_full_paths_of_other_machines_in_a_message_are_no_arguments(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "reports.py").write_text(
        "from mcp.server.mcpserver import MCPServer\n"
        "from mcp.server.mcpserver.exceptions import ToolError\n"
        "server = MCPServer('reports', log_level='CRITICAL')\n"
        "EXAMPLES = ['/home/me/may.txt', '~/may.txt', r'C:\\Reports\\may.txt']\n"
        "@server.tool()\n"
        "def read_report(path: str) -> str:\n"
        "    'Read a report.'\n"
        "    if path in EXAMPLES:\n"
        "        return 'Sales rose in May.'\n"
        "    raise ToolError(f'{path}: must be such as ' + ' or '.join(f'\"{each}\"' for each in EXAMPLES))\n"
    )
    (project / "files").mkdir()
    (project / "files/june.txt").touch()
    command = ("--server", "reports=reports:server", "--call", "all", "--files", "files", "--out", "mine")
    assert main(["generate", *command]) == 1
    assert "nothing is left after the stage values" in capsys.readouterr().err


TODOS = """
from mcp.server.mcpserver import MCPServer

def todos():
    server = MCPServer("todos", log_level="CRITICAL")
    texts = {}

    @server.tool()
    def list_todos() -> list[dict[str, str]]:
        "List the todos."
        return [{"id": key, "text": text} for key, text in texts.items()]

    @server.tool()
    def add_todo(text: str) -> dict[str, str]:
        "Add a todo."
        texts[f"t-{len(texts) + 1}"] = text
        return {"id": f"t-{len(texts)}", "text": text}

    @server.tool()
    def mark_todo(id: str) -> str:
        "Mark a todo as done."
        return f"{texts[id]} is done"

    @server.tool()
    def delete_todo(id: str) -> str:
        "Delete a todo."
        return "deleted" if texts.pop(id, "") else "there was none"

    return server
"""


def test_a_tool_that_needs_what_another_one_makes_is_asked_for_after_it(project: Path) -> None:
    (project / "todos.py").write_text(TODOS)
    command = ("--server", "todos=todos:todos", "--call", "all", "--out", "suites/mine", "--tasks", "8")
    assert main(["generate", *command]) == 0
    assert anyio.run(passes, project / "suites/mine", OracleAgent()) == [True] * len(tasks())
    assert anyio.run(passes, project / "suites/mine", NoopAgent()) == [False] * len(tasks())
    found = {call["tool"]: call for task in tasks() for (call,) in task["calls"]}
    assert found.keys() >= {"add_todo", "mark_todo", "list_todos"}
    for task in tasks():
        tools = [call["tool"] for (call,) in task["calls"]]
        assert tools[0] == "add_todo"
        assert ("the new todo" in task["ask"]) == bool({"mark_todo", "delete_todo"} & {*tools})
    assert found["mark_todo"]["arguments"] == {"id": "<1_result.id>"}


def test_a_maker_may_return_more_in_a_session_than_in_a_fresh_state(project: Path) -> None:
    (project / "growing.py").write_text(
        TODOS.replace('return {"id": f"t-{len(texts)}", "text": text}', 'return {"ids": list(texts)}').replace(
            "def add_todo(text: str) -> dict[str, str]", "def add_todo(text: str) -> dict[str, list[str]]"
        )
    )
    assert (
        main(["generate", "--server", "growing=growing:todos", "--call", "all", "--out", "mine", "--tasks", "4"]) == 0
    )
    found = map(json.loads, (project / "mine.work/02-values.jsonl").read_text().splitlines())
    sources = {each["tool"]: each.get("sources", ()) for each in found}
    assert {source["path"] for source in sources["mark_todo"]} == {".ids.0"}


def test_a_run_without_a_task_names_the_stage_that_kept_none_and_other_settings_later_are_one_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "clear.py").write_text(
        "from mcp.server.mcpserver import MCPServer\n"
        "server = MCPServer('clear', log_level='CRITICAL')\n"
        "@server.tool()\n"
        "def clear() -> str:\n    'Clears the list.'\n    return 'done'\n"
    )
    command = ["generate", "--server", "clear=clear:server", "--out", "mine"]
    assert main(command) == 1
    reason = "the tool does not promise to be read-only (--call TOOL uses it) (1)"
    assert f"nothing is left after the stage collect: {reason}" in capsys.readouterr().err
    assert main([*command, "--call", "all"]) == 2
    shown = capsys.readouterr().err
    assert "delete this one to begin again" in shown
    assert "to go on from there" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name either a shipped suite"),
        (["radar", *SHOP], "name either a shipped suite"),
        ([*SHOP], "--out: name the directory"),
        ([*SHOP, "--out", "o", "--pipeline", "tool"], "Did you mean 'tools'?"),
        ([*SHOP, *SHOP, "--out", "o"], "two servers are called 'shop'"),
        ([*SHOP, "--out", "o", "--dictionary", "symbols.json"], "--dictionary: write NAME=VALUE"),
        ([*SHOP, "--out", "taken"], "there is a suite.toml already"),
        ([*SHOP, "--out", "o", "--language", "French"], "rules write English only; name a model"),
        ([*SHOP, "--out", "o", "--category", "all=shop,shpo"], "no server is called 'shpo'. Did you mean 'shop'?"),
        ([*SHOP, "--out", "o", "--call", "cancel_ordr"], "no server has a tool 'cancel_ordr'. Did you mean"),
        ([*SHOP, "--out", "o", "--dictionary", "symbol=none.json"], "none.json: No such file"),
        ([*SHOP, "--out", "o", "--model", "no-such-model"], "no model is called 'no-such-model'"),
        (["--server", f"python x.py --api-key {KEY}", "--out", "o"], "write ${NAME} in its place"),
        (
            [*SHOP, "--out", "o", "--solver", "http://127.0.0.1:9/v1#m", "--tasks", "2"],
            "nobody can confirm this: add --yes",
        ),
    ],
)
def test_what_cannot_be_made_is_one_sentence(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (project / "taken").mkdir()
    (project / "taken/suite.toml").write_text('files = ["x.yaml"]')
    assert main(["generate", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_client_file_is_copied_with_variables_in_place_of_secrets(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_mcpbench.cli.generation import defined_servers

    monkeypatch.setenv("SHOP_API_KEY", KEY)
    entry = {"command": "python", "env": {"SHOP_API_KEY": KEY, "MODE": "test"}}
    (project / "mcp.json").write_text(json.dumps({"mcpServers": {"shop": entry, "off": {"disabled": True}}}))
    found = defined_servers([], [project / "mcp.json"])
    assert found.in_mcp_json == {
        "shop": {"command": "python", "env": {"SHOP_API_KEY": "${SHOP_API_KEY}", "MODE": "test"}}
    }


def command_of(server: ServerRef) -> str:
    return shlex.join([str(server.command), *server.arguments])


@pytest.mark.extra
@pytest.mark.parametrize(
    ("server", "least"),
    [
        pytest.param(
            lambda: isolated("mcp-server-time", name="time"),
            {"get_current_time", "convert_time"},
            marks=pytest.mark.long,
            id="time",
        ),
        pytest.param(lambda: npm("server-everything", name="everything"), {"echo"}, id="everything"),
        pytest.param(
            lambda: npm("server-filesystem", "{sandbox}", name="files"),
            {"read_text_file"},
            marks=pytest.mark.long,
            id="filesystem",
        ),
    ],
)
def test_servers_that_nobody_here_wrote_get_a_suite(
    project: Path, server: Callable[[], ServerRef], least: set[str]
) -> None:
    (project / "given").mkdir()
    (project / "given/shopping.txt").write_text("milk, eggs\n")
    (project / "given/.hidden").write_text("-")
    line = f"it={command_of(server())}"
    assert main(["generate", "--server", line, "--files", "given", "--tasks", "2", "--out", "theirs"]) == 0
    tried = (project / "theirs.work/02-values.jsonl").read_text()
    assert {tool for tool in least if f'"tool":"{tool}"' in tried} == least
    found = tasks("theirs")
    assert not any(".hidden" in task["ask"] for task in found)
    assert (len(found), len({task["ask"] for task in found})) == (2, 2)
    assert anyio.run(passes, project / "theirs", OracleAgent()) == [True, True]
    assert anyio.run(passes, project / "theirs", NoopAgent()) == [False, False]


@pytest.mark.extra
def test_a_terminal_shows_progress_from_the_first_server_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert generate("--tasks", "3") == 0
    shown = capsys.readouterr().err.replace("\x1b[K", "").split("\r")
    assert shown[1:6] == ["servers: 0 of 1", "servers: 1 of 1\n", "collect: …", "collect: 5 of 5\n", "values: 0 of 5"]
