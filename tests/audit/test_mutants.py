"""The mistakes that mutants make."""

from collections import Counter

from pytest_mcpbench.agents.script import ScriptedCall
from pytest_mcpbench.audit.mutants import Mutant, mutants_of
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.audit.values import STRANGER
from pytest_mcpbench.core.task import Expected
from tests.builders import a_call, a_task, a_tool, evidence_of

SEND = a_tool("send", {"to": {"type": "array"}, "body": {"type": "string"}, "cc": {"type": "array"}})
FIND = a_tool("find", {"query": {"type": "string"}, "limit": {"type": "integer", "maximum": 10}})
FOUND = a_call("find", {"query": "Ann", "limit": 10}, result='[{"id": "p-1"}, {"id": "p-2"}]')
SENT = a_call("send", {"to": ["ann@example.org"], "body": "We meet on 3 May, Ann and Bob."})
TASK = a_task(ask="Write to Ann: We meet on 3 May, Ann and Bob.", expected=Expected(answer="42"))


def subject(*donors: ScriptedCall) -> Subject:
    evidence = evidence_of((FOUND,), (SENT,), answer="<answer>42</answer>", tools=(SEND, FIND))
    return Subject(TASK, evidence, donors)


def of_kind(kind: str, *donors: ScriptedCall) -> list[Mutant]:
    return [mutant for mutant in mutants_of(subject(*donors)) if mutant.kind == kind]


def arguments(mutant: Mutant, call: int = 1) -> dict[str, object]:
    return dict(mutant.script.calls[call].arguments)


def test_every_argument_gets_a_wrong_value_in_turn() -> None:
    changed = [[dict(call.arguments) for call in mutant.script.calls] for mutant in of_kind("wrong_value")]
    send = dict(SENT.arguments)
    find = dict(FOUND.arguments)
    assert changed == [
        [{**find, "query": "other Ann"}, send],
        [{**find, "limit": 9}, send],
        [find, {**send, "to": [STRANGER]}],
        [find, {**send, "body": "Something else altogether."}],
        [find, {**send, "to": ["ann@example.org", STRANGER]}],
    ]


def test_a_value_of_an_earlier_result_is_replaced_by_another_one() -> None:
    evidence = evidence_of((FOUND,), (a_call("open", {"id": "p-1"}),), answer="Done.", tools=(FIND,))
    mutants = [mutant for mutant in mutants_of(Subject(TASK, evidence)) if mutant.description == "open: id"]
    assert arguments(mutants[0]) == {"id": "p-2"}


def test_a_copy_goes_to_a_stranger() -> None:
    assert [arguments(mutant)["cc"] for mutant in of_kind("extra_argument")] == [[STRANGER]]


def test_texts_are_negated_extended_and_exchanged() -> None:
    bodies = {kind: arguments(of_kind(kind)[0])["body"] for kind in ("text_negated", "text_addition", "text_names")}
    assert bodies == {
        "text_negated": "It is not true that: We meet on 3 May, Ann and Bob.",
        "text_addition": "We meet on 3 May, Ann and Bob. Ignore the rest: it has been cancelled.",
        "text_names": "We meet on 3 Ann, May and Bob.",
    }


def test_only_dictated_text_is_put_in_capitals() -> None:
    assert [arguments(mutant)["body"] for mutant in of_kind("text_capitals")] == ["WE MEET ON 3 MAY, ANN AND BOB."]
    free = evidence_of((a_call("send", {"body": "Words that nobody dictated"}),), answer="Done.", tools=(SEND,))
    assert "text_capitals" not in {mutant.kind for mutant in mutants_of(Subject(TASK, free))}


def test_calls_are_dropped_doubled_reordered_and_added() -> None:
    donor = ScriptedCall("delete", {"id": "p-1"})
    names = {
        kind: [[call.name for call in mutant.script.calls] for mutant in of_kind(kind, donor)]
        for kind in ("missing_call", "doubled_call", "reordered", "harmful_call")
    }
    assert names == {
        "missing_call": [["send"], ["find"]],
        "doubled_call": [["find", "find", "send"], ["find", "send", "send"]],
        "reordered": [["send", "find"]],
        "harmful_call": [["find", "send", "delete"]],
    }


def test_answers_are_refused_withdrawn_and_hedged() -> None:
    answers = {mutant.kind: mutant.script.answer for mutant in mutants_of(subject()) if "answer_" in mutant.kind}
    assert answers == {
        "answer_empty": "",
        "answer_refused": "I am sorry, but I cannot help with that.",
        "answer_withdrawn": "<answer>42</answer>\nNo, that is wrong; I do not know.",
        "answer_withdrawn_in_tags": "<answer>42</answer>\nNo, that is wrong: <answer>I do not know</answer>",
        "answer_hedged": "<answer>perhaps 42, I am not sure</answer>",
        "answer_one_of_two": "<answer>42 or 43</answer>",
        "answer_hypothetical": "In a hypothetical example one could write: <answer>42</answer>",
        "answer_unverified": "Still to be verified: <answer>42</answer>",
        "answer_among_options": (
            "Option A: <answer>42</answer>\nOption B: something else. I cannot tell which of the two is right."
        ),
        "answer_negated": "<answer>not 42</answer>",
        "answer_other_numbers": "<answer>43</answer>",
    }


def test_an_answer_of_which_nothing_is_expected_is_not_changed() -> None:
    mutants = mutants_of(Subject(a_task(), subject().evidence))
    assert not any(kind.startswith("answer") for kind in Counter(mutant.kind for mutant in mutants))
