"""State of servers: directories of attempts, calls before and after them, and state that attempts share unawares."""

import sys

import pytest

DIARY = '''
"""A diary that keeps its entries in a file: the one that it is told, or one beside its program."""
import json, os, sys

PATH = os.environ.get("DIARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "diary.json")

def entries():
    return json.load(open(PATH)) if os.path.exists(PATH) else []

def call(name, arguments):
    found = entries()
    if name == "write":
        found.append(arguments["text"])
    if name == "clear":
        found = []
    json.dump(found, open(PATH, "w"))
    return ", ".join(found) or "empty"

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("read", "write", "clear")]
RESULTS = {
    "initialize": lambda p: {"protocolVersion": p["protocolVersion"], "capabilities": {"tools": {}},
                             "serverInfo": {"name": "diary", "version": "1"}},
    "tools/list": lambda p: {"tools": TOOLS},
    "tools/call": lambda p: {"content": [{"type": "text", "text": call(p["name"], p.get("arguments") or {})}]},
}
if "--chatty" in sys.argv:
    print("Diary is ready.", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = RESULTS[request["method"]](request.get("params") or {})
        if "--loud" in sys.argv and request["method"] == "tools/call":
            print("Written.", flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
'''
TASK = "{{id: {id}, ask: Write., tool: write, arguments: {{text: {id}}}, verify: {{tool: read, equals: {id}}}{more}}}"


def a_project(pytester: pytest.Pytester, server: str, more: str = "") -> pytest.Pytester:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    (pytester.path / "diary.py").write_text(DIARY)
    tasks = "\n".join(f"  - {TASK.format(id=name, more=more)}" for name in ("one", "two"))
    pytester.makefile(".mcpbench.yaml", diary=f"{server}\ntasks:\n{tasks}\n")
    return pytester


COMMAND = f"{sys.executable} -S diary.py"


def test_a_server_that_writes_beside_its_program_is_reported(pytester: pytest.Pytester) -> None:
    project = a_project(pytester, f"server: {COMMAND}")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1")
    result.assert_outcomes(passed=1, failed=1, warnings=2)
    result.stdout.fnmatch_lines(["*server 'server' keeps state in */diary.json, outside of the attempt's directory*"])


@pytest.mark.parametrize(
    "server",
    [
        pytest.param(f"servers: {{d: {{command: {COMMAND}, environment: {{DIARY: '{{sandbox}}/d'}}}}}}", id="variable"),
        pytest.param(f"server: env DIARY={{sandbox}}/d.json {COMMAND}", id="argument"),
    ],
)
def test_sandbox_stands_for_the_directory_of_the_attempt_everywhere(pytester: pytest.Pytester, server: str) -> None:
    result = a_project(pytester, server).runpytest_inprocess("--model=oracle")
    result.assert_outcomes(passed=2, warnings=0)


@pytest.mark.parametrize("more", [", setup: clear", ", reset: [{tool: clear}]", ", setup: {tool: clear}, reset: clear"])
def test_calls_before_or_after_an_attempt_undo_its_writes(pytester: pytest.Pytester, more: str) -> None:
    project = a_project(pytester, f"server: {COMMAND}", more)
    project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (", setup: clean", "setup[[]0]: 'clean' is not offered by any connected server. Did you mean 'clear'[?]"),
        (", reset: [{tool: write}]", "server 'server' failed to call*"),
    ],
)
def test_a_preparing_call_that_fails_is_an_error(pytester: pytest.Pytester, more: str, problem: str) -> None:
    result = a_project(pytester, f"server: {COMMAND}", more).runpytest_inprocess("--model=oracle")
    result.assert_outcomes(errors=2, warnings=0)
    result.stdout.fnmatch_lines([f"*{problem}*"])


def test_output_before_the_first_message_is_a_warning(pytester: pytest.Pytester) -> None:
    project = a_project(pytester, f"server: {COMMAND} --chatty", ", setup: clear, reset: clear")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1")
    result.assert_outcomes(passed=2, warnings=2)
    result.stdout.fnmatch_lines(["*server 'server' wrote to stdout before its first message*'Diary is ready.'*"])


def test_output_during_a_call_is_a_warning(pytester: pytest.Pytester) -> None:
    project = a_project(pytester, f"server: {COMMAND} --loud")
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1")
    result.stdout.fnmatch_lines(["*server 'server' wrote to stdout between its messages, for example 'Written.'*"])


KEEPS_OPEN = """
LOG = open("diary.json", "w")
LOG.write("[]")
LOG.flush()

def pytest_unconfigure():
    LOG.close()
"""


def test_a_file_that_pytest_has_open_is_no_state_of_a_server(pytester: pytest.Pytester) -> None:
    project = a_project(pytester, f"server: {COMMAND}")
    project.makeconftest(KEEPS_OPEN)
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*keeps state in*")


IN_PROCESS = """
from mcp.server import MCPServer

ENTRIES = []
mcp = MCPServer("diary", log_level="CRITICAL")

@mcp.tool(structured_output=False)
def write(text: str) -> str:
    ENTRIES.append(text)
    return "ok"

@mcp.tool(structured_output=False)
def read() -> str:
    return ", ".join(ENTRIES)
"""


def test_a_variable_that_attempts_share_is_reported(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    project = a_project(pytester, "server: shared_diary:mcp")
    (pytester.path / "shared_diary.py").write_text(IN_PROCESS)
    monkeypatch.syspath_prepend(str(pytester.path))
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-concurrency=1")
    result.assert_outcomes(passed=1, failed=1, warnings=2)
    result.stdout.fnmatch_lines(["*server 'server' keeps state in the variable 'ENTRIES' of its module*"])


def test_what_setup_changes_in_a_world_is_no_change_of_the_attempt(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".mcpbench.yaml",
        notes="""
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks:
  - id: reads
    ask: Read the note Idea.
    tool: read_note
    arguments: {title: Idea}
    setup: {tool: add_note, arguments: {title: Idea, text: x}}
    state: {unchanged: notes}
""",
    )
    pytester.runpytest_inprocess("--model=oracle").assert_outcomes(passed=1)
