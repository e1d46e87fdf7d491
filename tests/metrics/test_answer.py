from typing import Any

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import AnswerCheck, Expected, Limits, Task
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.answer import Answer, AnswerStrict, tagged_answer
from tests.builders import a_call, a_task, evidence_of


def _task(answer: str | None, **fields: Any) -> Task:
    return a_task(expected=Expected(answer=answer), **fields)


def _run(answer: str, *calls: Any, **fields: Any) -> AttemptEvidence:
    return evidence_of(calls or (a_call("search"),), answer=answer, **fields)


@pytest.mark.parametrize(
    ("answer", "value", "strict"),
    [
        ("It is <answer>Paris</answer>.", 1, 1),
        ("<answer>London</answer>, no: <answer> Paris </answer>", 1, 1),
        ("<ANSWER>paris.</ANSWER>", 1, 0),
        ("<answer>London</answer>", 0, 0),
        ("Paris", 0, 0),
        ("<answer>Paris", 0, 0),
        ("<answer><answer>Paris</answer>", 1, 1),
        ("<think>So <answer>Paris</answer></think>It is Rome.", 0, 0),
        ("So <answer>Paris</answer></think>It is Rome.", 0, 0),
        ("I look again.\n<think>So <answer>Paris</answer>", 0, 0),
        ("<think>Is it <answer>Rome</answer>?</think><answer>Paris</answer>", 1, 1),
        ("", 0, 0),
    ],
)
def test_the_last_tagged_answer_counts(answer: str, value: float, strict: float) -> None:
    task = _task("Paris")

    assert (Answer()(task, _run(answer)).value, AnswerStrict()(task, _run(answer)).value) == (value, strict)


def test_an_answer_given_before_the_last_message_counts_too() -> None:
    steps = (Step(text="<answer>Paris</answer>", calls=(a_call("check"),)), Step(text="As I said."))

    assert tagged_answer(evidence_of(trajectory=Trajectory(steps=steps))) == "Paris"


@pytest.mark.parametrize(
    ("tags", "value"), [({"domain": "Math"}, 1), ({"category": "math"}, 1), ({"domain": "web"}, 0)]
)
def test_expressions_are_equal_as_such_in_mathematical_tasks_only(tags: dict[str, str], value: float) -> None:
    task = _task("(x-1)(x+1)", tags=tags)

    assert Answer()(task, _run("<answer>$x^2 - 1$</answer>")).value == value


def test_lists_of_expressions_have_no_order() -> None:
    task = _task(r"\sqrt{2}/2, 2x+2", tags={"domain": "math"})

    assert Answer()(task, _run(r"<answer>2(x+1), \frac{1}{\sqrt 2}</answer>")).value == 1


def test_a_right_answer_without_a_call_passes_and_is_flagged() -> None:
    assert Answer()(_task("5"), evidence_of(answer="<answer>5</answer>")) == Score.of(
        1, ["tool_omission: the answer is right, and no tool was called"], tool_omission=1
    )


@pytest.mark.parametrize(
    ("call", "tools"),
    [
        (a_call("guess", problem="unknown_tool"), "all"),
        (a_call("guess", problem="not_exposed"), "all"),
        (a_call("guess"), ("search",)),
    ],
    ids=["unknown", "not exposed", "not listed"],
)
def test_a_call_of_a_tool_that_is_not_the_tasks_fails(call: Any, tools: Any) -> None:
    assert Answer()(_task("5", tools=tools), _run("<answer>5</answer>", call)) == Score.of(
        0, ["guess was called, which is not a tool of the task"], tool_omission=0
    )


def test_more_rounds_than_allowed_fail() -> None:
    answer = "<answer>5</answer>"
    stopped = evidence_of(trajectory=Trajectory(steps=(Step(text=answer),), stop="round_limit"))

    assert Answer(rounds=2)(_task("5"), _run(answer)).value == 1
    assert Answer(rounds=1)(_task("5"), _run(answer)).reasons == ("more rounds than allowed (2 made, 1 allowed)",)
    assert Answer()(_task("5", limits=Limits(rounds=1)), _run(answer)).value == 0
    assert Answer()(_task("5"), stopped).value == 0


def test_it_does_not_apply_without_a_reference_answer() -> None:
    assert Answer()(_task(None), _run("<answer>5</answer>")) == Score.not_applicable("the task has no reference answer")


def test_the_reason_shows_both_answers() -> None:
    assert Answer()(_task("5"), _run("<answer>6</answer>")).reasons == ("expected '5', got '6'",)


@pytest.mark.parametrize(
    "text",
    [
        "<answer>Paris</answer>\nNo, that is wrong; I do not know.",
        "<answer>Paris</answer> (I am only guessing.)",
        "<answer>Paris</answer> or <answer>London</answer>",
        "<answer>London</answer>, <answer>Paris</answer>",
        "<answer>Paris or London</answer>",
        "<answer>perhaps Paris</answer>",
        "It is not <answer>Paris</answer>",
        "<answer>Paris</answer> 不对",
        "<answer>Paris</answer>\nActually it is London.",
        "<answer>Paris</answer>, I think.",
        "I doubt that <answer>Paris</answer> is right.",
        "My best guess is <answer>Paris</answer>",
        "Example of the format: <answer>Paris</answer>",
        "<!-- <answer>Paris</answer> -->",
        "Still to be verified: <answer>Paris</answer>",
        "~~<answer>Paris</answer>~~",
        "The following is wrong: <answer>Paris</answer>",
        "A wrong answer would be <answer>Paris</answer>",
        "It is none of these: <answer>Paris</answer>",
        "Do not write <answer>Paris</answer>",
        "I made this up: <answer>Paris</answer>",
        "Suppose it were <answer>Paris</answer>",
        "<answer>Paris</answer> That was a lie.",
        "<answer>Paris</answer> I misread it.",
        "<answer>Paris</answer> The above is a placeholder.",
        "<answer>Paris</answer> On second thought, check again.",
    ],
)
def test_an_answer_that_is_taken_back_doubted_or_one_of_several_does_not_stand(text: str) -> None:
    assert Answer()(_task("Paris"), _run(text)).value == 0


@pytest.mark.parametrize(
    "text",
    [
        "<answer>Paris</answer>\nLet me know if you need more.",
        "My first answer was wrong, the right one is <answer>Paris</answer>",
        "It does not matter: <answer>Paris</answer>",
        "So it would be <answer>Paris</answer>",
        "<answer>London</answer>, no: <answer>Paris</answer>",
        "<answer>**Paris**</answer>",
        "It was not London.\n<answer>Paris</answer>",
        "One might guess London. The map says:\n<answer>Paris</answer>",
        "<answer>Paris</answer> This should be all that you need, and I actually looked it up.",
    ],
)
def test_an_answer_that_stands_counts(text: str) -> None:
    assert Answer()(_task("Paris"), _run(text)).value == 1


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        ({"contains": ("Rome", "21")}, "In Rome it is 21 degrees.", "In Rome it is 210 degrees."),
        ({"contains": ("Rome",)}, "It is ROME.", "It is Rome, no, I am not sure."),
        ({"contains": ("Rome",)}, "Not Paris, but Rome.", "It is anything but Rome."),
        ({"contains": ("Rome",)}, "It is not in Rome County: Rome.", "I looked up whether Rome or Paris."),
        ({"number": 42}, "There are 42.", "There are 42 thousand."),
        ({"number": 42000}, "There are 42k.", "There are 42."),
        ({"number": 42}, "It has 42 %.", "It has anything but 42."),
        ({"regex": r"\b2\d °C"}, "It has 21 °C.", "It has 31 °C."),
        ({"number": 42}, "There are 42 of them.", "There are 42 or 43 of them."),
        ({"number": 42, "tolerance": 0.5}, "About 41.7.", "About 41.4."),
        ({"number": 1234.5}, "It costs 1,234.50 euros.", "It costs 12,345 euros."),
        ({"one_of": ("Rome", "Roma")}, "roma", "Rome or Roma"),
        ({"exact": "Rome"}, "Rome", "rome"),
    ],
)
def test_an_answer_in_sentences_is_checked(check: dict[str, Any], right: str, wrong: str) -> None:
    task = a_task(expected=Expected(answer_check=AnswerCheck(**check)), ask="How is it in Rome?")

    assert [Answer()(task, _run(text)).value for text in (right, f"<answer>{right}</answer>", wrong)] == [1, 1, 0]


@pytest.mark.parametrize("check", [{}, {"number": 1, "exact": "1"}, {"regex": "("}])
def test_an_answer_check_has_one_kind(check: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"exactly one of|not a regular expression"):
        AnswerCheck(**check)
