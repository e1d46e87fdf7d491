import anyio
import pytest

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.runtime.judges.keyfacts.judge import KeyFactsJudge


def _decided(question: Question) -> Verdict:
    return anyio.run(KeyFactsJudge().decide, question)


def test_a_verdict_says_which_judge_it_is_and_what_it_found() -> None:
    assert _decided(Question(kind="claim", statement="Ann Lee has 12 shops.", evidence="Ann Lee: 12.")) == Verdict(
        label="fulfilled", score=1, reason="2 of 2 key facts found", judge="keyfacts", prompt_version="keyfacts-1"
    )


def test_a_checkpoint_is_looked_for_in_calls_and_results() -> None:
    question = Question(
        kind="checkpoint",
        statement='Call `lark_mcp:event_create` with the title "Review".',
        evidence='Calls:\n1. event_create({"title": "Review"}) → {"id": "e1"}',
    )
    assert _decided(question).label == "fulfilled"


@pytest.mark.parametrize("kind", ["response", "failure_modes"])
def test_what_needs_a_reader_is_an_error_not_a_guess(kind: str) -> None:
    verdict = _decided(Question(kind=kind, statement="s", evidence="e", labels=("success", "failure")))
    assert (verdict.label, verdict.error) == (None, f"keyfacts cannot decide a question of kind {kind!r}; use a model")
