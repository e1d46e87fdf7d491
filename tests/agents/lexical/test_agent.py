from datetime import datetime
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.lexical.agent import LexicalAgent
from pytest_mcpbench.agents.tool_search import Ranking, ToolSearcher
from pytest_mcpbench.agents.word_dispatchers import Bm25Dispatcher, PatternDispatcher
from pytest_mcpbench.core.task import Context, Limits, Message, Task, Turn
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.trajectory import Trajectory
from tests.agents.arenas import TinyArena
from tests.builders import a_task, a_tool

TEXT = {"type": "string"}
READ = a_tool("read_file", {"path": TEXT}, ("path",), description="Reads a file.")
DELETE = a_tool("delete_file", {"path": TEXT}, ("path",), description="Deletes a file.")
ADD = a_tool("add_event", {"title": TEXT, "day": {"type": "string", "format": "date"}}, ("title", "day"))
CALCULATE = a_tool("calculate", {"expression": TEXT}, ("expression",), description="Calculates an expression.")


def played(task: Task, arena: TinyArena, agent: LexicalAgent | None = None) -> Trajectory:
    return anyio.run((agent or LexicalAgent()).attempt, task, arena)


def called(trajectory: Trajectory) -> list[tuple[int, str, dict[str, Any]]]:
    return [(step.turn, call.name, call.arguments) for step in trajectory.steps for call in step.calls]


def test_it_calls_for_each_part_and_answers_with_the_results() -> None:
    arena = TinyArena((READ, DELETE), {"read_file": lambda _: "Hello.", "delete_file": lambda _: "Deleted."})

    trajectory = played(a_task(ask="Read the file ./a.txt, then delete the file ./b.txt"), arena)

    assert called(trajectory) == [(0, "read_file", {"path": "./a.txt"}), (0, "delete_file", {"path": "./b.txt"})]
    assert (trajectory.answer, trajectory.stop) == ("Hello.\nDeleted.", "answered")


@pytest.mark.parametrize(
    "ask", ["Tell me a joke.", "Read it, whatever it is"], ids=["nothing scores", "cannot be filled"]
)
def test_it_declines_without_a_call(ask: str) -> None:
    trajectory = played(a_task(ask=ask), TinyArena((READ,)))

    assert (called(trajectory), trajectory.answer, trajectory.stop) == ([], "", "declined")


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (ToolResult.of_text("391"), "391"),
        (ToolResult.of_text("17 * 23 = 391"), "391"),
        (ToolResult.of_text("The result is: 391."), "391"),
        (ToolResult(structured={"result": 391}), "391"),
    ],
    ids=["value", "equation", "sentence", "structured"],
)
def test_the_most_specific_value_is_tagged_where_the_instructions_want_tags(result: ToolResult, answer: str) -> None:
    task = a_task(ask="What is 17 * 23?", system="End with <answer>…</answer>.")

    assert played(task, TinyArena((CALCULATE,), {"calculate": lambda _: result})).answer.endswith(
        f"<answer>{answer}</answer>"
    )


def test_without_such_instructions_there_are_no_tags() -> None:
    assert (
        played(a_task(ask="What is 17 * 23?"), TinyArena((CALCULATE,), {"calculate": lambda _: "391"})).answer == "391"
    )


def test_each_turn_is_planned_by_its_own_message() -> None:
    gold = (Message(role="assistant", text="Here it is."),)
    task = a_task(turns=(Turn(user="Read the file ./a.txt", gold=gold), Turn(user="Delete the file ./b.txt")))

    assert called(played(task, TinyArena((READ, DELETE)))) == [
        (0, "read_file", {"path": "./a.txt"}),
        (1, "delete_file", {"path": "./b.txt"}),
    ]


class ArenaWithClock(TinyArena):
    sandbox = SimpleNamespace(now=datetime(2025, 8, 20, 9))


@pytest.mark.parametrize(
    ("arena", "context"),
    [
        pytest.param(ArenaWithClock((ADD,)), Context(), id="the sandbox's"),
        pytest.param(TinyArena((ADD,)), Context(now="2025-08-20T09:00:00+02:00"), id="the task's"),
    ],
)
def test_days_are_reckoned_from_the_frozen_clock(arena: TinyArena, context: Context) -> None:
    trajectory = played(a_task(ask="Add the event 'Lunch' tomorrow", context=context), arena)

    assert called(trajectory) == [(0, "add_event", {"title": "Lunch", "day": "2025-08-21"})]


@pytest.mark.parametrize("ranking", [Bm25Dispatcher(), PatternDispatcher()], ids=lambda ranking: ranking.name)
def test_it_knows_only_the_tools_that_it_finds_where_models_search(ranking: Ranking) -> None:
    tools = (CALCULATE, READ, ADD)
    arena = TinyArena(tools, {"read_file": lambda _: "Hello."}, searcher=ToolSearcher(tools, ranking, results=1))
    task = a_task(turns=(Turn(user="Read the file ./a.txt"), Turn(user="Calculate 1 + 1"), Turn(user="?")))

    trajectory = played(task, arena)

    searches = [(step.turn, search.found) for step in trajectory.steps for search in step.searches]
    assert searches == [(0, ("read_file",)), (1, ("calculate",))]
    expected = [(0, "read_file", {"path": "./a.txt"}), (1, "calculate", {"expression": "1 + 1"})]
    assert called(trajectory) == expected
    hidden = TinyArena(tools, searcher=ToolSearcher((CALCULATE, ADD), ranking, results=1))
    assert called(played(task, hidden)) == [expected[1]]


def test_limits_are_kept() -> None:
    task = a_task(ask="Read the file ./a.txt, then delete the file ./b.txt", limits=Limits(tool_calls=1))

    trajectory = played(task, TinyArena((READ, DELETE)))

    assert ([call.result is not None for call in trajectory.calls], trajectory.stop) == ([True, False], "call_limit")


def test_it_costs_nothing() -> None:
    usage = played(a_task(ask="Read the file ./a.txt"), TinyArena((READ,))).usage

    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (0, 0, 0.0)


def test_one_agent_plays_tasks_with_other_tools_one_after_the_other() -> None:
    agent = LexicalAgent()
    first = played(a_task(ask="Read the file ./a.txt"), TinyArena((READ,)), agent)
    second = played(a_task(ask="Delete the file ./a.txt"), TinyArena((DELETE,)), agent)

    assert [call.name for call in (*first.calls, *second.calls)] == ["read_file", "delete_file"]


def test_two_attempts_at_a_task_are_alike() -> None:
    task = a_task(ask="Read the file ./a.txt, then delete the file ./b.txt")
    first, second = (played(task, TinyArena((READ, DELETE))) for _ in range(2))

    assert called(first) == called(second)
    assert first.answer == second.answer
