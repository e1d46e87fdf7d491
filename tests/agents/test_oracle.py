import re
from typing import Any

import anyio
import pytest
from pydantic import ValidationError

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.oracle import DONE, OracleAgent
from pytest_mcpbench.core.errors import ServerError, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score, scorecard
from pytest_mcpbench.core.task import (
    CallGroup,
    Checkpoint,
    Derivation,
    ExecCheckpoint,
    Expected,
    Limits,
    Message,
    Task,
    Turn,
)
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Trajectory
from tests.agents.arenas import TinyArena
from tests.agents.workplaces import Tool, Workshop, echo
from tests.builders import a_task, a_tool, expected_call


def played(task: Task, arena: AgentEnvironment) -> Trajectory:
    return anyio.run(OracleAgent().attempt, task, arena)


def steps_of(trajectory: Trajectory) -> list[tuple[int, str, list[str]]]:
    return [(step.turn, step.text, [call.name for call in step.calls]) for step in trajectory.steps]


def test_each_group_is_one_step_and_the_answer_comes_last() -> None:
    task = a_task((expected_call("a"), expected_call("b")), (expected_call("c"),))

    trajectory = played(task, TinyArena((a_tool("a"), a_tool("b"), a_tool("c"))))

    assert steps_of(trajectory) == [(0, "", ["a", "b"]), (0, "", ["c"]), (0, DONE, [])]


def test_a_reference_with_open_values_is_not_played_and_has_no_scores() -> None:
    expected = Expected(calls=(CallGroup(calls=(expected_call("a"),)),), open_reference="its call 1 leaves <id> open")
    task = a_task(expected=expected)
    trajectory = played(task, TinyArena((a_tool("a"),)))
    assert (trajectory.steps, trajectory.stop) == ((), "declined")
    evidence = AttemptEvidence(task_id=task.id, model="oracle", trajectory=trajectory)
    card = scorecard(task, evidence, {"tool_f1": lambda _task, _evidence: Score.of(0)}, {"tool_f1": 1.0})
    assert (card.shortfalls, card.unscored) == ((), ("tool_f1",))
    assert card["tool_f1"] == Score.missing("its call 1 leaves <id> open")


def test_each_turn_has_its_own_groups_and_its_recorded_text() -> None:
    groups = (CallGroup(calls=(expected_call("a"),), turn=0), CallGroup(calls=(expected_call("b"),), turn=1))
    gold = (
        Message(role="assistant", text="Looking."),
        Message(role="tool"),
        Message(role="assistant", text="It is 3."),
    )
    task = a_task(
        expected=Expected(calls=groups), turns=(Turn(user="One?", gold=gold), Turn(user="Two?", gold=gold[:1]))
    )

    trajectory = played(task, TinyArena((a_tool("a"), a_tool("b"))))

    assert steps_of(trajectory) == [(0, "", ["a"]), (0, "It is 3.", []), (1, "", ["b"]), (1, "Looking.", [])]


def test_a_group_of_a_turn_that_does_not_exist_is_played_in_the_last() -> None:
    task = a_task(expected=Expected(calls=(CallGroup(calls=(expected_call("a"),), turn=7),)))

    assert steps_of(played(task, TinyArena((a_tool("a"),)))) == [(0, "", ["a"]), (0, DONE, [])]


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        pytest.param(Expected(answer="4.20"), "<answer>4.20</answer>", id="answer"),
        pytest.param(Expected(answer="<answer>7</answer>"), "<answer>7</answer>", id="answer that has its tags"),
        pytest.param(Expected(claims=("It is red.", "It is 3 m long.")), "It is red.\nIt is 3 m long.", id="claims"),
        pytest.param(
            Expected(claims=("It is red.",), answer="red"), "It is red.\n<answer>red</answer>", id="claims and answer"
        ),
        pytest.param(Expected(checkpoints=(Checkpoint(text="A mail is sent."),)), "A mail is sent.", id="checkpoints"),
        pytest.param(
            Expected(exec=(ExecCheckpoint(kind="generic_search", value={"id": 7}),)), '{"id": 7}', id="search"
        ),
        pytest.param(Expected(), DONE, id="nothing in words"),
    ],
)
def test_the_answer_is_what_the_task_expects_in_words(expected: Expected, answer: str) -> None:
    assert played(a_task(expected=expected), TinyArena(())).answer == answer


def test_a_placeholder_is_filled_from_the_result_of_the_call_with_that_id() -> None:
    task = a_task(
        (expected_call("search", {"query": "tea"}, id="find"),),
        (expected_call("order", {"id": "<find_result.hits[0].id>"}),),
    )
    arena = TinyArena(
        (a_tool("search"), a_tool("order", {"id": {"type": "string"}})),
        {"search": lambda _: '{"hits": [{"id": "t-7"}]}'},
    )

    assert played(task, arena).calls[-1].arguments == {"id": "t-7"}


def an_invoice_task(answer: str, **arguments: Any) -> Task:
    calls = (CallGroup(calls=(expected_call("read", id="1"),)), CallGroup(calls=(expected_call("add", id="2"),)))
    derivation = Derivation(answer=answer, arguments={"2": arguments})
    expected = Expected(calls=calls, claims=("It comes to 145.20 EUR.",), derivation=derivation)
    return a_task(expected=expected, turns=(Turn(user="What does invoice 7 come to?"),))


def an_invoice(amount: int) -> TinyArena:
    def read(_: dict[str, Any]) -> str:
        return f'{{"amount": {amount}}}'

    def add(arguments: dict[str, Any]) -> str:
        return str(arguments["amount"] * 1.21)

    return TinyArena((a_tool("read"), a_tool("add", {"amount": {"type": "number"}})), {"read": read, "add": add})


@pytest.mark.parametrize(("amount", "answer"), [(120, "Invoice 7: 145.20 EUR."), (200, "Invoice 7: 242.00 EUR.")])
def test_an_answer_with_a_derivation_follows_from_the_results(amount: int, answer: str) -> None:
    task = an_invoice_task("Invoice 7: {{ results[2] | money }} EUR.", amount="{{ results[1].amount }}")

    trajectory = played(task, an_invoice(amount))

    assert trajectory.answer == answer
    assert trajectory.notes == {"answer_origin": "derived from the results of the calls"}


def a_search_task(*shown: str) -> Task:
    derivation = Derivation(calls=(expected_call("read", {"page": "stell"}),), shown={"1": shown})
    return a_task(expected=Expected(answer="1073", derivation=derivation))


def a_page(text: str) -> TinyArena:
    return TinyArena((a_tool("read", {"page": {"type": "string"}}),), {"read": lambda _: text})


def test_the_expected_answer_is_given_after_the_calls_that_show_what_it_follows_from() -> None:
    trajectory = played(a_search_task("2,904", "3,977"), a_page("2011: 2,904; 2021: 3,977"))

    assert [call.name for call in trajectory.calls] == ["read"]
    assert trajectory.answer == "<answer>1073</answer>"
    assert trajectory.notes == {"answer_origin": "recited after the results have shown what it follows from"}


def test_a_text_that_a_result_does_not_show_is_an_error_of_the_task() -> None:
    with pytest.raises(TaskError, match=re.escape("derivation.shown.1: the derivation fails: '3,977' is not in")):
        played(a_search_task("2,904", "3,977"), a_page("2011: 2,904"))


def test_a_derivation_refers_to_calls_and_leads_to_an_answer() -> None:
    with pytest.raises(ValidationError, match="no call is called 2"):
        Expected(derivation=Derivation(calls=(expected_call("read"),), shown={"2": ("x",)}))
    with pytest.raises(ValidationError, match="write `answer`"):
        Derivation(calls=(expected_call("read"),))


def test_an_answer_without_a_derivation_is_said_to_be_recited() -> None:
    task = a_task(expected=Expected(claims=("It comes to 145.20 EUR.",)))
    assert played(task, TinyArena(())).notes == {"answer_origin": "recited from what the task expects"}
    assert played(a_task(), TinyArena(())).notes == {"answer_origin": "not compared by its words"}


@pytest.mark.parametrize(
    ("answer", "amount", "error"),
    [
        pytest.param("It comes to 145.20 EUR.", 1, "it states '145.20 EUR'", id="recited"),
        pytest.param("{{ results[2] if results[1] else 'about 145' }}", 1, "it states '145'", id="recited in a branch"),
        pytest.param("{{ results[1].total }}", 1, "has no attribute 'total'", id="no value"),
        pytest.param("{{ results[2] }}", "{{ results[7] }}", "derivation.arguments.2.amount", id="argument"),
    ],
)
def test_a_derivation_that_recites_or_finds_nothing_is_an_error_of_the_task(
    answer: str, amount: Any, error: str
) -> None:
    with pytest.raises(TaskError, match=re.escape(error)):
        played(an_invoice_task(answer, amount=amount), an_invoice(120))


def test_calls_without_ids_are_referred_to_by_their_number() -> None:
    task = a_task((expected_call("add", {"a": 1}),), (expected_call("double", {"x": "<1_result>"}),))
    arena = TinyArena((a_tool("add"), a_tool("double", {"x": {"type": "number"}})), {"add": lambda _: "3"})

    assert played(task, arena).calls[-1].arguments == {"x": 3}


@pytest.mark.parametrize("reference", [{"tool": "read"}, {"tool": "notes_read"}, {"tool": "read", "server": "notes"}])
def test_the_exposed_name_is_called_whichever_name_the_reference_has(reference: dict[str, Any]) -> None:
    files = a_tool("files_read", tool="scan", server="files")
    notes = a_tool("notes_read", tool="read", server="notes")

    assert played(a_task((expected_call(**reference),)), TinyArena((files, notes))).calls[0].name == "notes_read"


def test_an_expected_tool_that_is_not_exposed_is_called_anyway_and_is_a_problem() -> None:
    call = played(a_task((expected_call("gone", {"x": 1}),)), TinyArena((a_tool("add"),))).calls[0]

    assert (call.name, call.arguments, call.problem) == ("gone", {"x": 1}, "unknown_tool")


class DyingArena(TinyArena):
    async def call(self, call: Call) -> CallRecord:
        if call.name == "die":
            raise ServerError("it died", "server", "call")
        return await super().call(call)


def test_a_call_that_is_refused_as_not_exposed_ends_the_attempt_without_an_answer() -> None:
    task = a_task((expected_call("echo"),), (expected_call("hidden"),), (expected_call("echo"),))
    trajectory = played(task, Workshop({"echo": echo}, hidden=("hidden",)))
    assert [call.problem for call in trajectory.calls] == [None, "not_exposed"]
    assert (trajectory.stop, trajectory.answer) == ("declined", "")


def test_a_search_that_is_refused_as_not_exposed_is_no_fault_of_the_derivation() -> None:
    derivation = Derivation(calls=(expected_call("hidden"),), shown={"1": ("4812",)})
    task = a_task(expected=Expected(answer="4812", derivation=derivation))
    trajectory = played(task, Workshop({"echo": echo}, hidden=("hidden",)))
    assert (trajectory.stop, trajectory.answer) == ("declined", "")


async def never(_arguments: dict[str, Any]) -> str:
    await anyio.sleep_forever()
    raise AssertionError


async def too_slow(_arguments: dict[str, Any]) -> ToolResult:
    return ToolResult.failure("The tool did not answer within 60 seconds.", "timeout")


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        pytest.param(
            never, "The call was interrupted: the attempt ended before it returned a result.", id="time of the task"
        ),
        pytest.param(too_slow, "The tool did not answer within 60 seconds.", id="time of the call"),
    ],
)
def test_a_call_that_does_not_come_back_is_the_servers_error(tool: Tool, why: str) -> None:
    task = a_task((expected_call("echo"),), (expected_call("hang"),), (expected_call("echo"),))
    task = task.model_copy(update={"limits": Limits(seconds=0.05)})

    with pytest.raises(ServerError) as raised:
        played(task, Workshop({"echo": echo, "hang": tool}))

    assert (
        str(raised.value)
        == f"server 'server' failed to call: the reference call of hang did not return a result: {why}"
    )
    assert raised.value.trajectory is not None
    assert [call.name for call in raised.value.trajectory.calls] == ["echo", "hang"]


def test_a_dying_server_is_raised_with_what_was_played_before() -> None:
    task = a_task((expected_call("add"),), (expected_call("die"),), (expected_call("add"),))

    with pytest.raises(ServerError) as raised:
        played(task, DyingArena((a_tool("add"), a_tool("die"))))

    assert raised.value.trajectory is not None
    assert [call.name for call in raised.value.trajectory.calls] == ["add", "die"]


READ = a_tool("read", {"path": {"type": "string"}}, ("path",))


def always_raises(_arguments: dict[str, Any]) -> ToolResult:
    return ToolResult.failure("no such file", "tool")


@pytest.mark.parametrize(
    ("arguments", "answers", "fault"),
    [
        ({"path": "a.txt"}, {"read": always_raises}, "returns an error: no such file"),
        ({"path": 7}, {}, "breaks the tool's schema"),
        ({}, {}, "breaks the tool's schema"),
    ],
    ids=["error", "wrong type", "missing"],
)
def test_a_faulty_reference_call_is_an_error_of_the_task(
    arguments: dict[str, Any], answers: dict[str, Any], fault: str
) -> None:
    task = a_task((expected_call("read", arguments),))
    with pytest.raises(TaskError, match=fault):
        played(task, TinyArena((READ,), answers))
    assert played(task, TinyArena((READ,), answers, lacks_results=True)).answer == DONE


def test_an_error_that_the_task_is_about_is_no_fault() -> None:
    task = a_task((expected_call("read", {"path": "a.txt"}, is_error_expected=True),))
    assert played(task, TinyArena((READ,), {"read": always_raises})).answer == DONE
