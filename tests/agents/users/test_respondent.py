"""Answers of a task's user to questions of servers, without a server."""

from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.agents.users.model import ModelUser
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.core.elicitation import Elicitation, ElicitationRule
from pytest_mcpbench.core.errors import ModelError, TaskError
from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.usage import Usage
from tests.agents.users.test_dialogue import Actor
from tests.builders import a_task

pytestmark = pytest.mark.anyio

FORM = Elicitation(
    message="Delete n1?",
    fields={"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]},
)
PAGE = Elicitation(message="Please sign.", url="https://bank.example/sign")
USER = SimulatedUser(goal="You want n1 to be deleted.")


async def _answer(asked: Elicitation, *rules: Any, replies: list[str] | None = None) -> Elicitation:
    elicit = tuple(map(ElicitationRule.model_validate, rules))
    task = a_task(elicit=elicit, user=USER if replies is not None else None)
    user = ModelUser(Actor(replies, cost_usd=0.5), USER) if replies is not None else None
    return await Respondent(task, user).answer(asked, server="notes", tool="delete")


async def test_the_first_rule_that_expects_the_question_answers_it() -> None:
    rules = [{"match": "rename"}, {"content": {"other": 1}}, {"content": {"confirm": "Yes"}}, {"action": "decline"}]
    answered = await _answer(FORM, *rules)
    assert (answered.action, answered.content, answered.answered_by) == ("accept", {"confirm": True}, "script")
    assert (await _answer(PAGE, *rules)).action == "decline"


async def test_fields_that_are_left_out_have_the_defaults_of_the_form() -> None:
    fields = {"type": "object", "properties": {"n": {"type": "integer", "default": 7}, "word": {"type": "string"}}}
    form = Elicitation(message="How many?", fields=fields)
    assert (await _answer(form, {"content": {"word": "a"}})).content == {"n": 7, "word": "a"}
    assert (await _answer(form, {"content": {"n": 3}})).content == {"n": 3}
    assert (await _answer(form, {"action": "decline"})).content == {}


async def test_a_rule_that_leaves_out_a_required_field_is_named() -> None:
    with pytest.raises(TaskError, match=r"elicit\[0\].*'confirm' is a required property"):
        await _answer(FORM, {"match": "delete"})


async def test_a_model_answers_what_no_rule_expects() -> None:
    answered = await _answer(
        FORM, {"match": "rename"}, replies=['```json\n{"action": "accept", "content": {"confirm": true}}\n```']
    )
    assert (answered.action, answered.content, answered.answered_by) == ("accept", {"confirm": True}, "actor")
    assert answered.usage.cost_usd == 0.5
    assert (await _answer(PAGE, replies=['{"action": "accept", "content": {"x": 1}}'])).content == {}


async def test_a_model_is_asked_again_for_an_answer_that_does_not_fit() -> None:
    replies = ["Yes, please!", '{"action": "accept", "content": {"confirm": 7}}', '{"action": "decline"}']
    answered = await _answer(FORM, replies=replies)
    assert (answered.action, answered.usage.cost_usd) == ("decline", 1.5)
    with pytest.raises(ModelError, match=r"does not answer 'Delete n1\?'.*the last does not fit the form: 7 is not"):
        await _answer(FORM, replies=["Yes!", *replies[1:2] * 2])


async def test_a_model_knows_the_conversation() -> None:
    actor = Actor(["It is n1.", '{"action": "decline"}'])
    task = a_task(user=USER)
    user = ModelUser(actor, USER)
    dialogue = Dialogue(task, user)
    respondent = Respondent(task, user)
    respondent.attend(dialogue, anyio.CancelScope())
    await dialogue.next_turn("Which one?")
    await respondent.answer(FORM, server="notes", tool="delete")
    said = [message.text for message in actor.asked[-1][0]]
    assert [text for text in said if text in ("Which one?", "It is n1.")] == ["Which one?", "It is n1."]
    assert "Delete n1?" in said[-1]
    assert dialogue.seconds > 0


async def test_nobody_answers_for_a_task_without_rules_and_goal() -> None:
    with pytest.raises(TaskError, match=r"nobody answers: 'Please sign. \(open https://bank.example/sign\)'"):
        await _answer(PAGE)


def test_a_rule_that_sends_what_it_declines_is_refused() -> None:
    with pytest.raises(ValueError, match="`content` is for `action: accept`"):
        ElicitationRule(action="decline", content={"confirm": True})


def test_usage_of_the_user_counts_its_answers() -> None:
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.tool import CallRecord, ToolResult
    from pytest_mcpbench.core.trajectory import Step, Trajectory

    asked = FORM.answered("accept", "actor", {}).model_copy(update={"usage": Usage(cost_usd=0.25)})
    call = CallRecord(id="1", name="delete", result=ToolResult(elicitations=(asked,)))
    evidence = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=(Step(calls=(call,)),)))
    assert evidence.user_usage.cost_usd == 0.25
