"""``mcpbench init``: the files that a project begins with work at once and promise nothing that was not tried."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixtures.chat_server import Answer, chat_server, says
from pytest_mcpbench.cli import main
from tests.workflows.shell_steps import Runner

SERVER = "fixtures.servers.defined:server"
TASKS = Path("fixtures_servers_defined_server.mcpbench.yaml")
READ_ONLY = {"readOnlyHint": True}


def a_tool(name: str, required: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": required or {}, "required": list(required or {})}
    return {"name": name, "description": f"About {name}. More.", "inputSchema": schema, **fields}


TOOLS = [
    a_tool("list_notes", annotations=READ_ONLY),
    a_tool("read_note", {"note_id": {"type": "string"}}, annotations=READ_ONLY),
    a_tool("convert", {"unit": {"enum": ["km", "mile"]}}, annotations=READ_ONLY),
    a_tool("weather", {"city": {"type": "string", "description": "A city, e.g. 'Oslo'."}}, annotations=READ_ONLY),
    a_tool("part", {"key": {"type": "string", "description": "Key of a part, such as p1."}}, annotations=READ_ONLY),
    a_tool("piece", {"mark": {"type": "string"}}, description="Show a piece, e.g. a-7.", annotations=READ_ONLY),
    a_tool("join", {"kind": {"type": "string", "description": "Supports: 'glue', 'tape'"}}, annotations=READ_ONLY),
    a_tool(
        "mix-paints",
        {"paint": {"type": "string"}, "share": {"type": "integer"}},
        description=(
            "Description: Mix paints. Such as mix-paints({{1}}), mix-paints('red', share=40), "
            "mix-paints(paint='/etc/red', share=1)."
        ),
        annotations=READ_ONLY,
    ),
    a_tool("judge", {"idea": {"type": "string", "minLength": 50}}, annotations=READ_ONLY),
    a_tool("span", {"low": {"type": "integer"}, "high": {"type": "integer"}}, annotations=READ_ONLY),
    a_tool("broken", annotations=READ_ONLY),
    a_tool(
        "find_part",
        {"code": {"type": "string", "pattern": "^[A-Z]{3}-9$", "description": "A code."}},
        annotations=READ_ONLY,
    ),
    a_tool("delete_all"),
]
RESULTS = {"list_notes": [{"id": "n-7", "title": "Milk"}], "broken": "Error: no network"}


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    Path("tools.json").write_text(json.dumps({"tools": TOOLS, "results": RESULTS}), encoding="utf-8")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def proposals() -> dict[str, dict[str, Any]]:
    return {task["tool"]: task for task in yaml.safe_load(TASKS.read_text())["tasks"]}


def test_calls_that_were_tried_are_proposals_and_the_others_are_comments(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", SERVER]) == 0
    assert {tool: task.get("arguments", {}) for tool, task in proposals().items()} == {
        "list_notes": {},
        "read_note": {"note_id": "n-7"},
        "convert": {"unit": "km"},
        "weather": {"city": "Oslo"},
        "part": {"key": "p1"},
        "piece": {"mark": "a-7"},
        "join": {"kind": "glue"},
        "mix-paints": {"paint": "red", "share": 40},
        "judge": {"idea": "The meeting moves to Thursday. Remember to water the plants."},
        "span": {"low": 3, "high": 7},
    }
    assert proposals()["mix-paints"]["ask"].startswith("Mix paints")
    text = TASKS.read_text()
    assert "  # find_part: no value is known for code.\n" in text
    assert '  #   arguments: {"code": "…"}\n  #   # code: string, A code\n' in text
    assert "  # delete_all: it may change something; `mcpbench init --call delete_all` tries it.\n" in text
    assert "  # broken: " in text
    assert "10 of 13 proposals pass" in capsys.readouterr().out


def test_proposals_are_skipped_by_every_agent_but_oracle(project: pytest.Pytester) -> None:
    assert main(["init", SERVER]) == 0
    project.runpytest_inprocess(str(TASKS)).assert_outcomes(skipped=10)
    project.runpytest_inprocess(str(TASKS), "--model=noop").assert_outcomes(skipped=10)
    project.runpytest_inprocess(str(TASKS), "--model=oracle").assert_outcomes(passed=10)
    TASKS.write_text(TASKS.read_text().replace("proposal:", "# proposal:"))
    project.runpytest_inprocess(str(TASKS), "--model=noop").assert_outcomes(failed=10)


def test_lock_and_lint_pass_at_once(project: pytest.Pytester) -> None:
    assert main(["init", SERVER]) == 0
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=10 + 2)
    assert main(["lock", "--check"]) == 0
    steps = yaml.safe_load(Path(".github/workflows/mcpbench.yml").read_text())["jobs"]["mcpbench"]["steps"]
    assert Path(steps[-1]["uses"], "action.yml").is_file()


def test_a_tool_is_called_without_a_promise_only_if_it_is_named(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", SERVER, "--call", "delete_al"]) == 2
    assert "--call: the server has no tool 'delete_al'. Did you mean 'delete_all'?" in capsys.readouterr().err
    assert main(["init", SERVER, "--call", "delete_all"]) == 0
    assert "delete_all" in proposals()


def test_existing_files_are_left_as_they_are(project: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    TASKS.write_text("tasks: []\n")
    Path(".gitlab-ci.yml").write_text("stages: []\n")
    assert main(["init", SERVER]) == 0
    assert TASKS.read_text() == "tasks: []\n"
    assert f"{TASKS}: exists, left as it is" in capsys.readouterr().out
    assert yaml.safe_load(Path("ci/mcpbench.yml").read_text())["mcpbench"]["script"]


def test_the_definition_of_a_client_is_copied_without_its_secrets(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Path(__file__).parents[2] / "fixtures" / "servers" / "odd.py"
    server = {"command": "python", "args": [str(odd), "good"], "env": {"ODD_KEY": "sk-very-secret"}}
    Path("claude.json").write_text(json.dumps({"mcpServers": {"odd": server, "other": server}}))
    assert main(["init", "--mcp-json", "claude.json"]) == 2
    assert "claude.json has 2 servers; name one of: odd, other." in capsys.readouterr().err
    assert main(["init", "odd", "--mcp-json", "claude.json"]) == 0
    assert "mcp.json takes these from the environment: ODD_KEY" in capsys.readouterr().out
    written = [path.read_text() for path in Path().rglob("*") if path.is_file() and path.name != "claude.json"]
    assert not any("sk-very-secret" in text for text in written)
    monkeypatch.setenv("ODD_KEY", "another")
    project.runpytest_inprocess("tools.lock.json").assert_outcomes(passed=2)


def test_no_file_repeats_a_secret_that_the_server_shows(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "Pl4nted7f9c2e4b8a1"
    monkeypatch.setenv("NOTES_API_KEY", key)
    tools = [{**tool, "description": f"Uses {key}."} for tool in TOOLS]
    results = {**RESULTS, "list_notes": [{"id": key, "title": "Milk"}]}
    Path("tools.json").write_text(json.dumps({"tools": tools, "results": results}), encoding="utf-8")
    given = {path for path in project.path.rglob("*") if path.is_file()}
    assert main(["init", SERVER]) == 0
    written = {path: path.read_text() for path in project.path.rglob("*") if path.is_file() and path not in given}
    assert any("[secret NOTES_API_KEY]" in text for text in written.values())
    assert not [path.name for path, text in written.items() if key in text]


def test_without_a_server_the_message_says_what_to_name(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(Path.cwd()))
    Path(".cursor").mkdir()
    assert main(["init"]) == 2
    assert 'name the server, such as `mcpbench init "python server.py"`.' in capsys.readouterr().err


SHELF = """
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def make():
    server, books = MCPServer("shelf"), {}

    @server.tool(annotations=READS)
    def list_books() -> list[str]:
        "List the books."
        return list(books)

    @server.tool(annotations=READS)
    def get_book(title: str) -> str:
        "Show a book."
        if title not in books:
            raise ToolError(f"there is no book {title!r}")
        return books[title]

    @server.tool(annotations=ADDS)
    def add_book(title: str, author: str) -> str:
        "Add a book."
        books[title] = author
        return f"added {title}"

    @server.tool()
    def burn_book(title: str) -> str:
        "Burn a book."
        if title not in books:
            raise ToolError(f"there is no book {title!r}")
        return f"{books.pop(title)} will not like it"

    @server.resource("shelf://rooms")
    def rooms() -> str:
        return '[{"room": "R-2"}]'

    @server.tool(annotations=READS)
    def books_in(room: str) -> str:
        "Books in a room."
        if room != "R-2":
            raise ToolError("no such room")
        return "none"

    @server.tool(annotations=READS)
    def check_out(card: str) -> str:
        "Check out a book."
        if card != "K-17":
            raise ToolError("unknown card")
        return "one book"

    return server
"""
SHELF_TASKS = Path("shelf_make.mcpbench.yaml")


def shelf_proposals() -> dict[str, dict[str, Any]]:
    return {task["tool"]: task for task in yaml.safe_load(SHELF_TASKS.read_text())["tasks"]}


@pytest.fixture
def shelf(project: pytest.Pytester) -> pytest.Pytester:
    project.makepyfile(shelf=SHELF)
    return project


def test_a_call_that_needs_what_another_makes_follows_it(shelf: pytest.Pytester) -> None:
    assert main(["init", "shelf:make"]) == 0
    tasks = shelf_proposals()
    assert set(tasks) == {"list_books", "get_book", "add_book", "books_in"}
    assert tasks["books_in"]["arguments"] == {"room": "R-2"}
    assert "setup" not in tasks["add_book"]
    made = {"tool": "add_book", "arguments": tasks["add_book"]["arguments"]}
    assert tasks["get_book"]["arguments"] == {"title": made["arguments"]["title"]}
    assert tasks["get_book"]["setup"] == tasks["list_books"]["setup"] == [made]
    shelf.runpytest_inprocess(str(SHELF_TASKS), "--model=oracle").assert_outcomes(passed=4)


TICKETS = """
import json
from uuid import uuid4
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

def make():
    server, tickets, todos = MCPServer("tickets"), {}, {}

    @server.tool()
    def open_ticket(title: str) -> dict:
        "Open a ticket."
        ticket = {"ticket_id": str(uuid4()), "title": title}
        tickets[ticket["ticket_id"]] = ticket
        return {"ticket": ticket}

    @server.tool()
    def get_ticket(ticket_id: str) -> dict:
        "Get a ticket."
        if ticket_id not in tickets:
            raise ToolError("no such ticket")
        return tickets[ticket_id]

    @server.tool()
    def stamp_list() -> list[dict]:
        "List the stamps."
        return [{"id": f"stamp-{number}", "value": number} for number in range(9)]

    @server.tool()
    def todo_delete(id: str) -> str:
        "Delete a todo."
        return json.dumps(todos.pop(id)) if id in todos else "Error: not found"

    @server.tool()
    def todo_get(id: str) -> str:
        "Get a todo."
        return json.dumps(todos[id]) if id in todos else "Error: not found"

    @server.tool()
    def todo_create(text: str) -> str:
        "Create a todo."
        todo = {"id": str(uuid4()), "text": text}
        todos[todo["id"]] = todo
        return json.dumps(todo)

    return server
"""


def test_an_id_that_differs_each_time_is_that_of_a_call_of_the_same_task(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    project.makepyfile(tickets=TICKETS)
    assert main(["init", "tickets:make", "--call", "*"]) == 0
    file = Path("tickets_make.mcpbench.yaml")
    making, reading, _, deleting, getting, _ = yaml.safe_load(file.read_text())["tasks"]
    assert making["tool"] == "open_ticket"
    assert "setup" not in reading
    assert [call["tool"] for call in reading["calls"]] == ["open_ticket", "get_ticket"]
    assert reading["calls"][1]["arguments"] == {"ticket_id": "<1_result.ticket.ticket_id>"}
    assert reading["ask"].startswith("Open a ticket (title ")
    assert reading["ask"].endswith("Then: Get a ticket.")
    for task, tool in ((deleting, "todo_delete"), (getting, "todo_get")):
        assert [call["tool"] for call in task["calls"]] == ["todo_create", tool]
        assert task["calls"][1]["arguments"] == {"id": "<1_result.id>"}
    project.runpytest_inprocess(str(file), "--model=oracle").assert_outcomes(passed=6)
    before = file.read_text()
    assert main(["init", "tickets:make", "--call", "*"]) == 0
    assert "added nothing" in capsys.readouterr().out
    assert file.read_text() == before


LIBRARY = """
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

def make():
    server, books = MCPServer("library"), []
    adds = ToolAnnotations(destructive_hint=False, open_world_hint=False)

    @server.tool(annotations=adds)
    def add_book_drop(title: str) -> str:
        "Add a book."
        books.append(title)
        return "done"

    for number in range(7):
        server.add_tool(lambda: "done", name=f"add_stamp_{number}", description="Add a stamp.", annotations=adds)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def open_at(book_index: int, page_index: int) -> str:
        "Open a book at a page."
        if not (book_index < len(books) and page_index == 0):
            raise ToolError("out of range")
        return books[book_index]

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def spell_title(title: str) -> str:
        "Spell a title."
        return "-".join(title)

    return server
"""


def test_among_many_changes_those_of_the_same_kind_of_thing_come_before(project: pytest.Pytester) -> None:
    project.makepyfile(library=LIBRARY)
    assert main(["init", "library:make"]) == 0
    tasks = {task["tool"]: task for task in yaml.safe_load(Path("library_make.mcpbench.yaml").read_text())["tasks"]}
    assert [call["tool"] for call in tasks["open_at"]["setup"]] == ["add_book_drop"]
    assert tasks["spell_title"]["arguments"] == tasks["add_book_drop"]["arguments"]
    assert "setup" not in tasks["spell_title"], "its result is the same without a book of this title"


DESK = """
from pathlib import Path
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

def make():
    server = MCPServer("desk")

    @server.tool()
    def create_sheet(file_path: str, color: str) -> str:
        "Create a sheet in a .txt file."
        path = Path(file_path)
        if not path.is_absolute():
            raise ToolError("give an absolute path, such as '/nowhere/sheet.txt'")
        if color != "amber":
            raise ToolError(f"no color '{color}'; available: 'amber'")
        path.write_text(color)
        return f"created {path}"

    @server.tool()
    def read_sheet(file_path: str) -> str:
        "Read a sheet."
        return Path(file_path).read_text()

    return server
"""


def test_files_lie_in_the_directory_of_the_attempt(project: pytest.Pytester) -> None:
    project.makepyfile(office_desk=DESK)
    assert main(["init", "office_desk:make", "--call", "*"]) == 0
    tasks = {task["tool"]: task for task in yaml.safe_load(Path("office_desk_make.mcpbench.yaml").read_text())["tasks"]}
    arguments = {"file_path": "{sandbox}/report.txt", "color": "amber"}
    assert tasks["create_sheet"]["arguments"] == arguments
    assert tasks["read_sheet"]["arguments"] == {"file_path": "{sandbox}/report.txt"}
    assert tasks["read_sheet"]["setup"] == [{"tool": "create_sheet", "arguments": arguments}]


DRAWER = """
from pathlib import Path
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

def make():
    server = MCPServer("drawer")

    @server.tool()
    def show_letter(file_path: str) -> str:
        "Show a letter."
        path = Path(file_path)
        if not path.is_absolute():
            raise ToolError("give an absolute path")
        if not path.exists():
            raise ToolError(f"file not found: {path}")
        return path.read_text()

    @server.tool()
    def show_head(repo_path: str) -> str:
        "Show the head."
        head = Path(repo_path, ".git", "HEAD")
        if not head.exists():
            raise ToolError(MESSAGE)
        return head.read_text()

    return server
"""


@pytest.mark.parametrize("message", ["'not a git repository'", "str(Path(repo_path))"])
def test_files_and_a_repository_that_a_server_misses_stand_in_the_context(
    project: pytest.Pytester, message: str
) -> None:
    project.makepyfile(drawer=DRAWER.replace("MESSAGE", message))
    assert main(["init", "drawer:make"]) == 0
    tasks = {task["tool"]: task for task in yaml.safe_load(Path("drawer_make.mcpbench.yaml").read_text())["tasks"]}
    assert tasks["show_head"]["context"]["git"] is True
    assert "report.txt" in tasks["show_letter"]["context"]["files"]
    project.runpytest_inprocess("drawer_make.mcpbench.yaml", "--model=oracle").assert_outcomes(passed=2)


def test_a_second_run_adds_the_tools_that_it_names(shelf: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "shelf:make"]) == 0
    before = SHELF_TASKS.read_text()
    assert "  # burn_book: it may change something" in before
    own = "  - ask: Which books are there?\n    tool: list_books\n"
    SHELF_TASKS.write_text(before.replace("tasks:\n", f"tasks:\n{own}", 1))
    assert main(["init", "shelf:make"]) == 0
    assert SHELF_TASKS.read_text() == before.replace("tasks:\n", f"tasks:\n{own}", 1)
    assert main(["init", "shelf:make", "--call", "burn_*", "--example", 'check_out={"card": "K-17"}']) == 0
    assert f"{SHELF_TASKS}: added burn_book, check_out" in capsys.readouterr().out
    after = SHELF_TASKS.read_text()
    assert own in after
    assert "# burn_book" not in after
    assert "# check_out" not in after
    tasks = shelf_proposals()
    assert set(tasks) == {"list_books", "get_book", "add_book", "books_in", "burn_book", "check_out"}
    assert tasks["burn_book"]["setup"][0]["tool"] == "add_book"
    assert tasks["check_out"]["arguments"] == {"card": "K-17"}
    shelf.runpytest_inprocess(str(SHELF_TASKS), "--model=oracle").assert_outcomes(passed=7)


def test_an_example_that_the_server_refuses_stays_a_comment(shelf: pytest.Pytester) -> None:
    assert main(["init", "shelf:make", "--example", 'check_out={"card": "K-18"}']) == 0
    assert "check_out" not in shelf_proposals()
    assert "  # check_out: Error executing tool check_out: unknown card.\n" in SHELF_TASKS.read_text()
    with pytest.raises(SystemExit):
        main(["init", "shelf:make", "--example", "check_out=K-17"])


def test_a_model_proposes_where_no_value_is_known_and_the_server_decides(shelf: pytest.Pytester) -> None:
    asked: list[str] = []

    def propose(body: dict[str, Any]) -> Answer:
        asked.append(body["messages"][1]["content"])
        return says(json.dumps({"arguments": [{"card": "K-16"}, {"card": "K-17"}]}))

    with chat_server(propose) as provider:
        assert main(["init", "shelf:make", "--model", f"{provider.url}#m"]) == 0
    (question,) = asked
    assert "So far: Error executing tool check_out: unknown card" in question
    assert shelf_proposals()["check_out"]["arguments"] == {"card": "K-17"}
    assert "# burn_book: it may change something" in SHELF_TASKS.read_text()


BOARD = '''
from pathlib import Path
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

PAGES = Path(__file__).with_name("pages.txt")

def make():
    server, cards = MCPServer("board"), []

    @server.tool()
    def write_cards(cards_to_keep: list[dict], colour: str) -> str:
        """Write all cards, each with:

        - content: what is to be done
        - status: state of the card (open, done)
        - owner: optional person
        """
        if any(set(card) != {"content", "status"} or card["status"] not in ("open", "done") for card in cards_to_keep):
            raise ToolError("each card needs a content and a status")
        if not colour.startswith("#"):
            raise ToolError("this is no colour")
        cards[:] = cards_to_keep
        return "written"

    @server.tool()
    def read_cards() -> list[dict]:
        "Read all cards."
        return cards

    @server.tool()
    def drop_card(secret_number: int) -> str:
        "Drop a card."
        raise ToolError("wrong number")

    @server.tool()
    def print_board() -> str:
        "Print the board."
        if PAGES.exists() and len(PAGES.read_text()) == 2:
            raise ToolError("no paper")
        PAGES.write_text((PAGES.read_text() if PAGES.exists() else "") + "|")
        return "printed"

    return server
'''


def test_what_was_tried_in_vain_is_said_with_the_reason(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    project.makepyfile(board=BOARD)
    assert main(["init", "board:make"]) == 0
    file = Path("board_make.mcpbench.yaml")
    assert "  # read_cards: nothing is in its result" in file.read_text()
    assert "`--call TOOL` tries one of them, `--call '*'` all." in capsys.readouterr().out
    assert main(["init", "board:make", "--call", "*"]) == 0
    tasks = {task["tool"]: task for task in yaml.safe_load(file.read_text())["tasks"]}
    made = tasks["write_cards"]["arguments"]
    assert {card["status"] for card in made["cards_to_keep"]} <= {"open", "done"}
    assert tasks["read_cards"]["setup"] == [{"tool": "write_cards", "arguments": made}]
    assert "  # drop_card: Error executing tool drop_card: wrong number.\n" in file.read_text()
    assert "  # print_board: it ran once and then not, as if the server kept its state outside of" in file.read_text()
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"{file}: added write_cards, read_cards",
        "Tried in vain: drop_card, print_board. The comments in the file say why.",
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("inputs", "exit_codes"),
    [
        pytest.param({"model": ""}, [0], id="without-key"),
        pytest.param({"model": "noop", "arguments": "-k 'list or read'"}, [0, 0], id="model"),
        pytest.param({"model": "none-such"}, [0, 4], id="unknown-model"),
    ],
)
def test_the_steps_of_the_action_run_in_a_shell(
    inputs: dict[str, str], exit_codes: list[int], project: pytest.Pytester
) -> None:
    assert main(["init", SERVER]) == 0
    action = yaml.safe_load(Path(".github/actions/mcpbench/action.yml").read_text())
    inputs = {name: value["default"] for name, value in action["inputs"].items()} | inputs
    runner = Runner(Path.cwd(), inputs)
    # A condition is either on an input that is not empty or on the job, which goes on.
    steps = [step for step in action["runs"]["steps"] if "inputs.model" not in step.get("if", "") or inputs["model"]]
    assert [runner.run(step).exit_code for step in steps] == [*exit_codes, 0, 0]
    assert Path("mcpbench.md").exists()


@pytest.mark.long
def test_the_findability_gate_of_the_ci_is_red_for_a_tool_that_no_search_finds(project: pytest.Pytester) -> None:
    tool = a_tool("tune_xylophone", annotations=READ_ONLY)
    Path("tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    assert main(["init", SERVER]) == 0
    action = yaml.safe_load(Path(".github/actions/mcpbench/action.yml").read_text())
    (gate,) = (step for step in action["runs"]["steps"] if "findability" in step["run"])
    runner = Runner(Path.cwd(), {name: value["default"] for name, value in action["inputs"].items()})
    for request, exit_code in (("Tune my xylophone", 0), ("Make it sound nice", 1)):
        TASKS.write_text(re.sub(r"ask: .*\n(    proposal: .*\n)?", f"ask: {request}\n", TASKS.read_text()))
        assert runner.run(gate).exit_code == exit_code
