"""Tasks that name the directory of their attempt, which is another one each time."""

from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, says

SHELF = """
from pathlib import Path
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("shelf")

@server.tool()
def write(path: str, text: str) -> str:
    "Write a text to a file."
    if not Path(path).is_absolute():
        raise ToolError("the path must be absolute")
    Path(path).write_text(text)
    return f"wrote {path}"

@server.tool()
def read(path: str) -> str:
    "Read a file."
    return Path(path).read_text()
"""
TASKS = """
server: shelf:server
tasks:
  - id: right
    ask: Write "tea" to {sandbox}/a.txt
    setup: {tool: write, arguments: {path: "{sandbox}/b.txt", text: milk}}
    tool: write
    arguments: {path: "{sandbox}/a.txt", text: tea}
    verify: {tool: read, arguments: {path: "{sandbox}/a.txt"}, contains: tea}
    answer: {contains: "{sandbox}/a.txt"}
    state: {created: 'files[a.txt]', where: {text: tea}}
    floors: {ast: 1, verify: 1, state: 1}
  - id: told
    ask: Write it down.
    user:
      goal: Have "tea" in {sandbox}/a.txt
      script: [{match: where, reply: 'Write "tea" to {sandbox}/a.txt'}, {match: wrote, reply: '', end: satisfied}]
    tool: write
    arguments: {path: "{sandbox}/a.txt", text: tea}
    floors: {ast: 1}
  - id: wrong
    ask: Write "tea" to {sandbox}/a.txt
    tool: write
    arguments: {path: "{sandbox}/c.txt", text: tea}
    floors: {ast: 1}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.syspathinsert()
    pytester.makepyfile(shelf=SHELF)
    pytester.makefile(".mcpbench.yaml", shelf=TASKS)
    return pytester


def test_a_task_names_the_directory_and_records_do_not(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=out").assert_outcomes(passed=3)
    written = "".join(file.read_text() for file in Path("out").glob("records-*.jsonl"))
    assert "wrote {sandbox}/a.txt" in written
    assert "attempt-" not in written


def test_a_call_with_another_file_of_the_directory_fails(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--model=lexical", "-k", "right or wrong")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*wrong?lexical?*", "*expected*", "*{sandbox}/c.txt', got '{sandbox}/a.txt'"])


def test_a_cassette_is_replayed_in_another_directory(project: pytest.Pytester) -> None:
    def obey(body: dict[str, Any]) -> Answer:
        *_, last = body["messages"]
        if last["role"] == "tool":
            return says(last["content"])
        return says(None, ("write", {"path": last["content"].split()[-1], "text": "tea"}))

    with chat_server(obey) as provider:
        alias = f'm = {{url = "{provider.url}", model = "x"}}'
        Path("pyproject.toml").write_text(f"[tool.mcpbench.models]\n{alias}\n", encoding="utf-8")
        arguments = ("-k", "right", "--model=m")
        project.runpytest_inprocess(*arguments, "--mcpbench-record=tapes").assert_outcomes(passed=1)
    project.runpytest_inprocess(*arguments, "--mcpbench-replay=tapes").assert_outcomes(passed=1)


def test_a_user_hears_the_placeholder_and_says_the_directory(project: pytest.Pytester) -> None:
    """The user is played by a model, whose requests are the same in each attempt."""
    heard: list[str] = []

    def talk(body: dict[str, Any]) -> Answer:
        first, last = body["messages"][0], body["messages"][-1]
        if "You play a person" in first["content"]:
            heard.append(first["content"] + last["content"])
            return says("###DONE###" if "wrote" in last["content"] else 'Write "tea" to {sandbox}/a.txt')
        if last["role"] == "tool":
            return says(last["content"])
        place = last["content"].split()[-1]
        return says(None, ("write", {"path": place, "text": "tea"})) if "/" in place else says("To where?")

    with chat_server(talk) as provider:
        alias = f'm = {{url = "{provider.url}", model = "x"}}'
        Path("pyproject.toml").write_text(f"[tool.mcpbench.models]\n{alias}\n", encoding="utf-8")
        run = ("-k", "told", "--model=m", "--mcpbench-user=m")
        project.runpytest_inprocess(*run, "--mcpbench-record=tapes").assert_outcomes(passed=1)
    assert 'Have "tea" in {sandbox}/a.txt' in heard[0]
    assert heard[-1].endswith("wrote {sandbox}/a.txt")
    project.runpytest_inprocess(*run, "--mcpbench-replay=tapes").assert_outcomes(passed=1)


def test_files_that_are_copied_into_the_directory_do_not_lie_in_it(project: pytest.Pytester) -> None:
    task = '  - {ask: Read it., tool: read, arguments: {path: a}, context: {files: "{sandbox}/seed"}}\n'
    Path("shelf.mcpbench.yaml").write_text(f"server: shelf:server\ntasks:\n{task}", encoding="utf-8")
    result = project.runpytest_inprocess("--model=oracle")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*context.files: {sandbox}/seed is below the attempt's directory*"])
