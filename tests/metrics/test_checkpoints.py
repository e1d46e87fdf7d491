import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Checkpoint, Expected
from pytest_mcpbench.metrics.checkpoints import Checkpoints, SuccessRate
from pytest_mcpbench.text.numbered_steps import split_steps
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.metrics.verdicts import judged

STEPS = "Step 1: List the events. Step 2: As found in step 1: create one.\nStep 3: Tell the user."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (STEPS, ("List the events.", "As found in step 1: create one.", "Tell the user.")),
        ("Create the event.", ("Create the event.",)),
        ("Step 1: Create the event.", ("Step 1: Create the event.",)),
        ("step 1： eins\nstep 2： zwei", ("eins", "zwei")),
        (" ".join(f"Step {n}: do {n}." for n in range(1, 11)), tuple(f"do {n}." for n in range(1, 11))),
    ],
    ids=["steps", "plain", "a single step", "wide colon", "ten"],
)
def test_a_numbered_text_is_split_into_its_steps(text: str, parts: tuple[str, ...]) -> None:
    assert split_steps(text) == parts


def test_the_score_is_the_mean_over_the_checkpoints() -> None:
    task = a_task(expected=Expected(checkpoints=(Checkpoint(text=STEPS),)))
    evidence = judged(Checkpoints(), task, evidence_of((a_call("list"),), answer="x"), 1, 0.5, 0)
    score = Checkpoints()(task, evidence)
    assert (score.value, score.counts) == (0.5, {"part": 1.5, "whole": 3})


def test_the_official_mode_keeps_the_text_whole_and_hides_the_answer() -> None:
    task = a_task(expected=Expected(checkpoints=(Checkpoint(text=STEPS),)))
    (question,) = Checkpoints(official=True).questions(task, evidence_of((a_call("list"),), answer="Secret."))
    assert (question.statement, question.evidence) == (STEPS, "Calls:\n1. list({}) → done")


def test_a_judge_sees_request_reference_calls_results_and_answer() -> None:
    task = a_task((expected_call("list", {"day": 1}, server="mail"),), ask="List it.")
    task = task.model_copy(
        update={"expected": task.expected.model_copy(update={"checkpoints": (Checkpoint(text="Listed."),)})}
    )
    (question,) = Checkpoints().questions(task, evidence_of((a_call("list", {"day": 1}),), answer="None."))
    assert question.context == {"request": "List it.", "reference calls": "1. mail:list: {'day': 1}"}
    assert question.evidence == 'Calls:\n1. list({"day": 1}) → done\n\nAnswer: None.'


@pytest.mark.parametrize(("points", "passes"), [((1, 1, 1, 1, 0), 0), ((1, 1, 1, 1, 0.5), 1), ((1, 1, 1, 0, 0), 0)])
def test_success_needs_more_than_the_threshold(points: tuple[float, ...], passes: float) -> None:
    task = a_task(expected=Expected(checkpoints=tuple(Checkpoint(text=f"c{n}") for n in range(len(points)))))
    evidence = judged(SuccessRate(), task, evidence_of(), *points)
    assert SuccessRate()(task, evidence) == passes


def test_without_a_judge_both_are_unscored() -> None:
    task = a_task(expected=Expected(checkpoints=(Checkpoint(text="c"),)))
    missing = Score.missing("no judge is configured", "needs_reader")
    assert (Checkpoints()(task, evidence_of()), SuccessRate()(task, evidence_of())) == (missing, missing)


def test_without_checkpoints_it_does_not_apply() -> None:
    assert Checkpoints()(a_task(), evidence_of()) == Score.not_applicable("the task has no checkpoints")
