"""A run that is recorded can be repeated without the model, the judge and, if asked for, without the servers."""

import fnmatch
import json
import sys
from pathlib import Path

import pytest

from fixtures.chat_server import Answer, chat_server, says
from tests.plugin.conftest import usage_error

SERVER = """
import os
from mcp.server import MCPServer

made = MCPServer("stock", log_level="CRITICAL")

@made.tool()
def count(item: str) -> str:
    "Count what is in stock."
    return f"7 {item} in {os.getcwd()}"

made.run()
"""
TASKS = """
servers:
  stock: {{command: {python}, arguments: [{directory}/stock.py]}}
tasks:
  - {{id: apples, ask: How many apples are there?, tool: count, claims: [There are 7 apples.]}}
"""


def _answer(body: dict[str, object]) -> Answer:
    """Call the tool, then repeat its result; judge everything as fulfilled."""
    messages = body["messages"]
    assert isinstance(messages, list)
    if "tools" not in body:
        return says(json.dumps({"label": "fulfilled", "reason": "it says so"}))
    last = messages[-1]
    return (
        says(f"There are {last['content']}.") if last["role"] == "tool" else says(None, ("count", {"item": "apples"}))
    )


@pytest.fixture
def stock(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a server in a process of its own, and the address of a model that is gone afterwards."""
    Path("stock.py").write_text(SERVER, encoding="utf-8")
    pytester.makefile(".mcpbench.yaml", stock=TASKS.format(python=sys.executable, directory=pytester.path))
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def _record(project: pytest.Pytester, *options: str) -> None:
    with chat_server(_answer) as server:
        alias = f'm = {{url = "{server.url}", model = "x"}}'
        Path("pyproject.toml").write_text(f"[tool.mcpbench.models]\n{alias}\n", encoding="utf-8")
        result = _run(project, "--mcpbench-record=cassette", "--mcpbench-out=recorded", *options)
        result.assert_outcomes(passed=1)
    assert len(server.requests) == 3


def _run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess("--model=m", "--mcpbench-judge=m", *options)


def _record_of(directory: str) -> dict[str, object]:
    (path,) = Path(directory).glob("records-*.jsonl")
    record: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return record


def test_a_replay_asks_nobody_and_gives_the_same_answers(stock: pytest.Pytester) -> None:
    _record(stock)
    result = _run(stock, "--mcpbench-replay=cassette", "--mcpbench-out=replayed")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["mcpbench: replayed from *cassette: no model was asked; *"])
    before, after = _record_of("recorded"), _record_of("replayed")
    assert before["scorecard"] == after["scorecard"]
    assert [verdict["label"] for verdict in after["run"]["verdicts"].values()] == ["fulfilled"]  # type: ignore[index]


@pytest.mark.extra
def test_what_was_not_recorded_is_an_error_and_leaves_the_tape(stock: pytest.Pytester) -> None:
    _record(stock)
    file = Path("cassette/stock/m/apples-1.jsonl")
    tape = file.read_bytes()
    trials = _run(stock, "--mcpbench-replay=cassette", "--trials=2")
    trials.assert_outcomes(passed=1, errors=1)
    trials.stdout.fnmatch_lines(["*stock/m/apples-2.jsonl: the attempt was not recorded *"])
    # The model is gone.
    _run(stock, "--mcpbench-record=cassette").assert_outcomes(errors=1)
    assert file.read_bytes() == tape
    server = Path("stock.py")
    server.write_text(server.read_text(encoding="utf-8").replace("Count what is", "Weigh what is"), encoding="utf-8")
    changed = _run(stock, "--mcpbench-replay=cassette")
    changed.assert_outcomes(errors=1)
    changed.stdout.fnmatch_lines(
        ["*cassette: stock/m/apples-1.jsonl: request 1 is not the recorded one: description of the tool *count:*"]
    )
    server.unlink()
    _run(stock, "--mcpbench-replay=cassette").assert_outcomes(errors=1)


@pytest.mark.extra
def test_recorded_servers_are_not_started(stock: pytest.Pytester) -> None:
    _record(stock, "--mcpbench-record-tools")
    Path("stock.py").unlink()
    _run(stock, "--mcpbench-replay=cassette", "--mcpbench-out=replayed").assert_outcomes(passed=1)
    tape = Path("cassette/stock/m/apples-1.jsonl").read_text(encoding="utf-8")
    assert "{mcpbench:sandbox}" in tape
    assert "mcpbench-" not in tape.replace("{mcpbench:sandbox}", "")


@pytest.mark.long
def test_workers_record_and_replay(stock: pytest.Pytester) -> None:
    _record(stock, "-n1")
    _run(stock, "--mcpbench-replay=cassette", "-n1").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--mcpbench-record=a", "--mcpbench-replay=."], "--mcpbench-record and --mcpbench-replay exclude each other"),
        (["--mcpbench-record-tools"], "--mcpbench-record-tools needs --mcpbench-record=DIR"),
        (["--mcpbench-record=a", "--model=agent:codex"], "--mcpbench-record: agent:codex asks its model by itself, *"),
        (["--mcpbench-replay=.", "--model=agent:codex"], "--mcpbench-replay: agent:codex asks its model by itself, *"),
        (["--mcpbench-replay=missing"], "--mcpbench-replay: there is no directory *"),
    ],
)
def test_options_that_make_no_sense_are_usage_errors(
    project: pytest.Pytester, options: list[str], problem: str
) -> None:
    assert fnmatch.fnmatch(usage_error(project, *options), f"*{problem}*")
