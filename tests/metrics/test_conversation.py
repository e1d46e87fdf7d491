"""Checks of what agent and user said, and when."""

from typing import Any

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.simulated_user import ConversationCheck, SimulatedUser
from pytest_mcpbench.core.task import Expected, Turn
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Conversation as Talk
from pytest_mcpbench.core.trajectory import Step, Trajectory, UserMessage
from pytest_mcpbench.metrics.conversation import Conversation
from pytest_mcpbench.metrics.grouping import EmrTurn
from pytest_mcpbench.metrics.tool_names import ToolF1Turn
from tests.builders import a_task

ASKED = {"asked": r"shall i", "told": r"^yes\b", "before": "pay"}
USER = SimulatedUser(goal="Pay.")


def _pay(turn: int, text: str = "", problem: Any = None) -> Step:
    call = CallRecord(id="1", name="pay", arguments={}, tool="pay", problem=problem, result=ToolResult.of_text("paid"))
    return Step(turn=turn, text=text, calls=(call,))


def _attempt(*steps: Step, said: tuple[str, ...], end: Any = "satisfied") -> AttemptEvidence:
    talk = Talk(user="script", messages=tuple(UserMessage(text=text) for text in said), end=end)
    return AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=steps, conversation=talk))


def _score(evidence: AttemptEvidence, *checks: dict[str, Any]) -> float | None:
    expected = Expected(conversation=tuple(map(ConversationCheck.model_validate, checks)))
    return Conversation()(a_task(user=USER, expected=expected), evidence).value


INVENTED = Step(turn=0, text="How much?\nUser: All of it.\n**Assistant:** Shall I pay?\nUser: Yes.")
REPORTED = Step(turn=0, text="The account:\nUser: Ada\nAmount: 7\nShall I pay?")
SHALL_I, DONE = Step(turn=0, text="Shall I pay?"), Step(turn=1, text="Done.")


@pytest.mark.parametrize(
    ("steps", "said", "value"),
    [
        pytest.param([SHALL_I, _pay(1), DONE], ("Pay!", "Yes.", ""), 1, id="after the yes"),
        pytest.param([SHALL_I, _pay(1), DONE], ("Pay!", "No.", ""), 0, id="after a no"),
        pytest.param([_pay(0), SHALL_I, DONE], ("Pay!", "Yes.", ""), 0, id="before it asks"),
        pytest.param([_pay(0, "Shall I pay? User: Yes."), DONE], ("Pay!",), 0, id="as the user"),
        pytest.param([INVENTED, _pay(1), DONE], ("Pay!", "Yes.", ""), 0, id="within an exchange that it invents"),
        pytest.param([REPORTED, _pay(1), DONE], ("Pay!", "Yes.", ""), 1, id="after a field called user"),
        pytest.param([SHALL_I, DONE], ("Pay!", "Yes.", ""), 1, id="never: state decides"),
        pytest.param([Step(turn=0, text="Hm."), DONE], ("Yes, pay!", "Yes."), 0, id="a yes to nothing"),
        pytest.param([_pay(0, problem="not_exposed"), SHALL_I, _pay(1), DONE], ("Pay!", "Yes."), 1, id="refused"),
        pytest.param([], ("Pay!",), 0, id="nothing"),
    ],
)
def test_a_call_must_wait_for_the_yes_to_the_question(steps: list[Step], said: tuple[str, ...], value: int) -> None:
    assert _score(_attempt(*steps, said=said), ASKED) == value


@pytest.mark.parametrize(
    ("check", "value"),
    [
        ({"asked": "SHALL I"}, 1),
        ({"asked": "shall i", "before": "pay"}, 1),
        ({"asked": "done", "before": "pay"}, 0),
        ({"told": "yes", "before": "pay"}, 1),
        ({"told": "thanks"}, 1),
        ({"told": "thanks", "before": "pay"}, 0),
        ({"told": "shall i"}, 0),
        ({"never_said": "store credit"}, 1),
        ({"never_said": "done"}, 0),
        ({"ended": "satisfied"}, 1),
        ({"ended": "gave_up"}, 0),
    ],
    ids=str,
)
def test_each_kind_of_check(check: dict[str, Any], value: int) -> None:
    assert _score(_attempt(SHALL_I, _pay(1), DONE, said=("Pay!", "Yes.", "Thanks.")), check) == value


def test_what_cannot_be_decided_is_unscored_and_metrics_by_turn_do_not_apply() -> None:
    fixed = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=(SHALL_I,)))
    expected = Expected(conversation=(ConversationCheck(ended="satisfied"),))
    score = Conversation()(a_task(expected=expected), fixed)
    assert (score.value, score.applies) == (None, True)
    assert not Conversation()(a_task(), fixed).applies
    for metric in (ToolF1Turn(), EmrTurn()):
        assert not metric(a_task(user=USER), _attempt(said=("Pay!",))).applies


def test_fixed_turns_are_messages_of_the_user_too() -> None:
    task = a_task(
        turns=(Turn(user="Pay!"), Turn(user="Yes.")),
        expected=Expected(conversation=(ConversationCheck.model_validate(ASKED),)),
    )
    evidence = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=(SHALL_I, _pay(1), DONE)))
    assert Conversation()(task, evidence).value == 1


@pytest.mark.parametrize(
    "fields",
    [{}, {"asked": "a", "ended": "gave_up"}, {"before": "pay", "never_said": "a"}, {"asked": "("}],
    ids=["nothing", "two kinds", "before without words", "no expression"],
)
def test_a_check_that_says_nothing_or_two_things_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"check of a conversation|needs|not a regular expression"):
        ConversationCheck.model_validate(fields)
