from pytest_mcpbench.core.judgement import Background, Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.metrics.coverage import Coverage
from tests.builders import a_call, a_task, evidence_of
from tests.metrics.verdicts import judged

TASK = a_task(expected=Expected(claims=("It is red.", "It is 3 m long.", "It is new.")))


def test_one_question_is_asked_for_each_claim_about_the_answer_alone() -> None:
    questions = Coverage().questions(TASK, evidence_of(answer="A red thing."))
    assert [question.key for question in questions] == [
        Question(kind="claim", statement=claim, evidence="A red thing.").key for claim in TASK.expected.claims
    ]


def test_the_rules_may_also_read_the_request_the_results_and_the_other_claims() -> None:
    call = a_call("search", result=ToolResult.of_text("red: 3 m"))
    (question, *_) = Coverage().questions(TASK, evidence_of((call,), answer="A red thing."))
    assert question.background == Background(
        request=TASK.prompt, results=("red: 3 m",), statements=TASK.expected.claims
    )


def test_a_judge_with_the_request_is_asked_another_question_than_one_without() -> None:
    evidence = evidence_of(answer="A red thing.")
    with_request = Coverage(profile="with_request").questions(TASK, evidence)
    assert [question.context for question in with_request] == [{"request": TASK.prompt}] * 3
    assert {question.key for question in with_request}.isdisjoint(
        question.key for question in Coverage().questions(TASK, evidence)
    )
    assert Coverage(profile="with_request")(TASK, judged(Coverage(), TASK, evidence, 1, 1, 1)).value is None
    assert resolve("coverage_with_request") == Coverage(profile="with_request")


def test_coverage_is_the_mean_rounded_to_three_decimals() -> None:
    evidence = judged(Coverage(), TASK, evidence_of(answer="A red thing."), 1, 1, 0)
    assert Coverage()(TASK, evidence) == Score(
        value=0.667,
        reasons=(
            # Reports show the first reasons: those for losses.
            "0 for 'It is new.' (a-judge)",
            "1 for 'It is red.' (a-judge)",
            "1 for 'It is 3 m long.' (a-judge)",
        ),
        counts={"part": 2, "whole": 3},
    )


def test_an_empty_answer_scores_zero_without_a_question() -> None:
    evidence = evidence_of(answer="")
    assert Coverage().questions(TASK, evidence) == ()
    assert Coverage()(TASK, evidence) == Score(
        value=0, reasons=("the answer is empty",), counts={"part": 0, "whole": 3}
    )


def test_without_a_judge_it_is_unscored() -> None:
    assert Coverage()(TASK, evidence_of(answer="x")) == Score.missing("no judge is configured", "needs_reader")


def test_without_claims_it_does_not_apply() -> None:
    assert Coverage()(a_task(), evidence_of(answer="x")) == Score.not_applicable("the task has no claims")


def test_a_verdict_that_failed_leaves_it_unscored_and_counts_as_zero_in_the_official_mode() -> None:
    evidence = judged(Coverage(), TASK, evidence_of(answer="x"), 1, 1, None)
    problem = "judge 'a-judge' gave no verdict for 'It is new.': it was silent"
    assert Coverage()(TASK, evidence) == Score.missing(problem)
    assert Coverage(official=True)(TASK, evidence) == 0.667


def test_two_equal_claims_share_one_verdict_and_count_twice() -> None:
    task = a_task(expected=Expected(claims=("Yes.", "Yes.")))
    evidence = judged(Coverage(), task, evidence_of(answer="Yes."), 1, 1)
    assert Coverage()(task, evidence).counts == {"part": 2, "whole": 2}
