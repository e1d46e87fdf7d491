from typing import Any

import pytest

from pytest_mcpbench.core.task import CallGroup, Expected, ExpectedCall, SimilarTool
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.first_calls import FirstCalls
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOLS = (a_tool("find", {"word": {"type": "string"}}), a_tool("list"), a_tool("read", {"path": {}}), a_tool("drop"))
FIND = expected_call("find", {"word": "todo"})
READ = expected_call("read", {"path": "a.txt"})


def _value(steps: tuple[tuple[CallRecord, ...], ...], *groups: tuple[ExpectedCall, ...], **fields: Any) -> float | None:
    task = a_task(*groups, **fields)
    return FirstCalls()(task, evidence_of(*steps, tools=TOOLS)).value


def _call(tool: str, **arguments: str) -> CallRecord:
    return a_call(tool, dict(arguments)).model_copy(update={"result": None})


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ((_call("find", word="todo"),), 1),
        ((_call("find", word="done"),), 0),
        ((_call("list"),), 0),
        ((), 0),
        ((_call("find", word="todo"), _call("drop")), 0),
        ((_call("find", word="todo"), _call("read", path="a.txt")), 1),
        ((_call("read", path="a.txt"),), 0),
        ((_call("find", word="todo"), _call("find", word="todo")), 0),
    ],
    ids=["right", "value", "tool", "no call", "extra", "next step at once", "next step first", "twice"],
)
def test_the_first_message_makes_the_calls_of_the_first_step(message: tuple[CallRecord, ...], expected: float) -> None:
    assert _value((message,), (FIND,), (READ,)) == expected


def test_parallel_calls_are_a_set() -> None:
    both = (_call("read", path="a.txt"), _call("find", word="todo"))

    assert _value((both,), (FIND, READ)) == 1
    assert _value((both[:1],), (FIND, READ)) == 0


def test_later_messages_do_not_mend_the_first() -> None:
    assert _value(((_call("list"),), (_call("find", word="todo"),)), (FIND,)) == 0


def test_any_of_several_tools_is_right() -> None:
    either = expected_call("find", {}, similar_tools=(SimilarTool(tool="list"),))

    assert [_value(((_call(tool),),), (either,)) for tool in ("find", "list", "drop")] == [1, 1, 0]


def test_forbidden_tools_count_too() -> None:
    forbidden = Expected(calls=(CallGroup(calls=(FIND,)),), forbidden_tools=("find",))

    assert _value(((_call("find", word="todo"),),), expected=forbidden) == 0
    assert _value(((),), expected=Expected(forbidden_tools="all")) == 1
    assert _value(((_call("list"),),), expected=Expected(forbidden_tools="all")) == 0


def test_a_task_without_calls_is_not_measured() -> None:
    score = FirstCalls()(a_task(expected=Expected(answer="4")), evidence_of())

    assert (score.value, score.applies) == (None, False)
