"""Agents in Python: functions of users, and the examples of the documentation with their frameworks."""

import json
import os
import re
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from fixtures.chat_server import chat_server
from fixtures.provider_dialects import calls_then_says
from pytest_mcpbench.agents.programs.program import ProgramReport, Workplace
from pytest_mcpbench.agents.programs.python_agent import PythonAgent
from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.task import Limits, Turn
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import Usage
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_task

REPOSITORY = Path(__file__).parents[3]
FRAMEWORKS = Path(os.environ.get("MCPBENCH_TEST_SERVERS", REPOSITORY / ".venv-servers")) / "frameworks"
PAGE = (REPOSITORY / "docs/how-to/test-your-agent.md").read_text(encoding="utf-8")
MODULES = {
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
    "LangGraph": "langchain",
    "smolagents": "smolagents",
}
TASK = """\
servers: {notes: {factory: "fixtures.notes_server:server"}}
tasks: [{id: read, ask: "What does the note say?", tool: read_note, arguments: {title: Shopping}}]
"""


TURNS = (Turn(user="One?"), Turn(user="Two?"))


def attempt(agent: PythonAgent, directory: Path, **fields: Any) -> Trajectory:
    workshop = Workshop({"echo": echo})
    workshop.directory = directory / "sandbox"
    workshop.directory.mkdir(exist_ok=True)
    return anyio.run(agent.attempt, a_task(**fields), workshop)


async def call_twice(turn: Workplace) -> ProgramReport:
    assert turn.call is not None
    results = [await turn.call("echo", {"n": number}) for number in (1, 2)]
    return ProgramReport(answer=" ".join(result.text for result in results), usage=Usage(input_tokens=5))


def test_calls_of_a_function_are_recorded_and_its_report_has_the_usage(tmp_path: Path) -> None:
    made = attempt(PythonAgent("mine", call_twice), tmp_path)
    assert [call.arguments for call in made.calls] == [{"n": 1}, {"n": 2}]
    assert (made.answer, made.usage.input_tokens) == ("{'n': 1} {'n': 2}", 5)


def test_a_limit_cancels_a_function(tmp_path: Path) -> None:
    made = attempt(PythonAgent("mine", call_twice), tmp_path, limits=Limits(tool_calls=1))
    assert (made.stop, [call.result is None for call in made.calls]) == ("call_limit", [False, True])


def test_what_a_function_raises_is_an_error_with_its_place(tmp_path: Path) -> None:
    async def fail(_turn: Workplace) -> str:
        raise KeyError("title")

    with pytest.raises(AgentError, match=r"mine: raised KeyError: 'title'\ntraceback:\n[^$]*in fail"):
        attempt(PythonAgent("mine", fail), tmp_path)


def test_a_function_cannot_be_told_to_search_for_tools(tmp_path: Path) -> None:
    workshop = Workshop({"echo": echo})
    workshop.directory, workshop.presentation = tmp_path, "search"
    with pytest.raises(AgentError, match="mine: shows tools in its own way; leave out the presentation `search`"):
        anyio.run(PythonAgent("mine", call_twice).attempt, a_task(), workshop)


@pytest.mark.parametrize("listing_turn", [0, 1])
def test_an_agent_may_have_to_list_the_tools_in_any_turn(tmp_path: Path, listing_turn: int) -> None:
    prompts: list[str] = []

    async def list_once(turn: Workplace) -> str:
        if len(prompts) == listing_turn:
            async with Client(turn.servers[0].url or "") as client:
                await client.list_tools()
        prompts.append(turn.prompt)
        return "42"

    assert attempt(PythonAgent("mine", list_once, must_list_tools=True), tmp_path, turns=TURNS).stop == "answered"


def test_an_agent_that_must_list_the_tools_and_does_not_is_an_error(tmp_path: Path) -> None:
    async def list_nothing(_turn: Workplace) -> str:
        return "42"

    assert attempt(PythonAgent("mine", list_nothing), tmp_path, turns=TURNS).stop == "answered"
    with pytest.raises(AgentError, match="mine: never listed the tools of server 'server'") as raised:
        attempt(PythonAgent("mine", list_nothing, must_list_tools=True), tmp_path, turns=TURNS)
    assert raised.value.trajectory is not None
    assert [step.turn for step in raised.value.trajectory.steps] == [0, 1]


@pytest.mark.parametrize("answer", [None, 42, ["a text"]])
def test_an_answer_that_is_no_text_is_an_error_of_the_function(tmp_path: Path, answer: Any) -> None:
    async def return_it(_turn: Workplace) -> Any:
        return answer

    with pytest.raises(AgentError) as raised:
        attempt(PythonAgent("mine", return_it), tmp_path)
    assert str(raised.value) == f"mine: returned {answer!r}; its answer must be a text, or a ProgramReport"


@pytest.mark.extra
@pytest.mark.parametrize("framework", MODULES)
def test_the_example_of_a_framework_works(framework: str, tmp_path: Path) -> None:
    """`.ci/setup` installs openai-agents and pydantic-ai; the others run where they can be imported."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{FRAMEWORKS}",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
    }
    if PathFinder.find_spec(MODULES[framework], [str(FRAMEWORKS), *sys.path]) is None:
        pytest.skip(f"{framework} is not installed")
    example = re.search(rf"### {framework}\n.*?```python\n(.*?)```", PAGE, re.DOTALL)
    fixture = re.search(r"```python\n(import pytest\n.*?)```", PAGE, re.DOTALL)
    assert example is not None
    assert fixture is not None
    (tmp_path / "conftest.py").write_text(example[1] + "\n" + fixture[1])
    (tmp_path / "notes.mcpbench.yaml").write_text(TASK)
    with chat_server(calls_then_says("read_note", {"title": "Shopping"})) as server:
        address = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "stub"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--mcpbench-out=out"]
        done = subprocess.run(
            command, cwd=tmp_path, env={**environment, **address}, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (tmp_path / "out").glob("records-*.jsonl")
    record = json.loads(file.read_text())
    assert "milk" in record["run"]["trajectory"]["steps"][-1]["text"]
