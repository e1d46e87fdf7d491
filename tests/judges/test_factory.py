"""Which judge a name means."""

import json
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.judges.llm import LlmJudge
from pytest_mcpbench.models.factory import Models


@pytest.fixture
def scripted(tmp_path: Path) -> str:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps([]))
    return f"scripted:{path}"


def test_keyfacts_needs_no_model_and_none_is_no_judge() -> None:
    assert isinstance(make_judge("keyfacts", Models({})), KeyFactsJudge)
    assert make_judge("none", Models({})) is None


def test_any_other_name_is_a_model_whose_verdicts_are_kept_where_that_is_wanted(scripted: str, tmp_path: Path) -> None:
    models = Models({})
    forgetful, keeping = make_judge(scripted, models), make_judge(scripted, models, cache=VerdictCache(tmp_path))
    assert isinstance(forgetful, LlmJudge)
    assert isinstance(keeping, LlmJudge)
    assert forgetful.model is keeping.model is models.get(scripted)
    assert (forgetful.cache is None, keeping.cache is None) == (True, False)


def test_a_name_that_is_no_model_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no model is called 'keyfcats'"):
        make_judge("keyfcats", Models({}))


@pytest.fixture
def models(tmp_path: Path) -> Models:
    """Return the models yes, no and mute, which always reply the same."""
    replies = {"yes": '{"reason": "y", "label": "fulfilled"}', "no": '{"label": "not_fulfilled"}', "mute": "Hm."}
    for name, text in replies.items():
        (tmp_path / f"{name}.json").write_text(json.dumps([{"text": text}] * 20))
    return Models(
        {name: f"scripted:{tmp_path}/{name}.json" for name in replies} | {"no-2": f"scripted:{tmp_path}/no.json"}
    )


@pytest.mark.parametrize(
    ("panel", "label"),
    [
        ("yes,no,keyfacts", "not_fulfilled"),
        ("yes, mute", None),
        ("mute,no,keyfacts", "not_fulfilled"),
        ("yes,mute,no", None),
    ],
)
def test_a_panel_decides_by_majority_and_a_reply_that_cannot_be_read_is_missing(
    models: Models, panel: str, label: str | None
) -> None:
    judge = make_judge(panel, models)
    assert judge is not None
    verdict = anyio.run(judge.decide, Question.about_claim("The price is 42 dollars.", "The price is 17 dollars."))
    assert verdict.label == label
    assert len(verdict.votes) == len(panel.split(","))
    assert all(vote.judge_digest for vote in verdict.votes if vote.judge != "keyfacts")


def test_the_verdicts_of_each_member_are_stored_and_those_that_failed_are_not(models: Models, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "verdicts")
    question = Question.about_claim("The price is 42 dollars.", "The price is 17 dollars.")
    for panel in ("yes,no,mute", "no,yes"):
        judge = make_judge(panel, models, cache=cache)
        assert judge is not None
        anyio.run(judge.decide, question)
    stored = [Verdict.model_validate_json(file.read_bytes()) for file in (tmp_path / "verdicts").rglob("*.json")]
    assert sorted(str(verdict.label) for verdict in stored) == ["fulfilled", "not_fulfilled"]


@pytest.mark.parametrize(
    ("panel", "problem"),
    [
        ("yes,none", "'none' does not judge"),
        ("yes,,no", "'' does not judge"),
        ("yes,no,yes", "yes and yes are one judge, which would vote twice"),
        ("no,no-2", "no and no-2 are one judge, which would vote twice"),
        ("yes,keyfcats", "no model is called 'keyfcats'"),
    ],
)
def test_a_panel_with_a_member_that_cannot_vote_is_a_usage_error(models: Models, panel: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        make_judge(panel, models)


@pytest.mark.parametrize("name", ["keyfacts+", "keyfacts+none", "keyfacts+keyfacts"])
def test_a_cascade_ends_with_a_model(name: str) -> None:
    with pytest.raises(UsageError, match="comes a model or a panel, such as keyfacts\\+claude"):
        make_judge(name, Models({}))


CLAIM = Question.about_claim("It costs 42 dollars.", "It costs 42 dollars.")
CHECKPOINT = Question(kind="checkpoint", statement="The price was read.", evidence="It costs 42 dollars.")


def test_a_cascade_asks_the_model_only_what_the_rules_leave_open(models: Models) -> None:
    judge = make_judge("keyfacts+no", models)
    assert judge is not None
    no = models.get("no").name
    ruled, left = (anyio.run(judge.decide, question) for question in (CLAIM, CHECKPOINT))
    assert (ruled.judge, ruled.label, left.judge, left.label) == (judge.name, "fulfilled", judge.name, "not_fulfilled")
    assert [(stage.judge, stage.label) for stage in ruled.stages] == [("keyfacts", "fulfilled")]
    assert [(stage.judge, stage.label) for stage in left.stages] == [("keyfacts", None), (no, "not_fulfilled")]


def test_a_panel_at_the_end_of_a_cascade_keeps_its_votes(models: Models) -> None:
    judge = make_judge("keyfacts+yes,no", models)
    assert judge is not None
    verdict = anyio.run(judge.decide, CHECKPOINT)
    assert (verdict.label, [vote.label for vote in verdict.votes]) == (None, ["fulfilled", "not_fulfilled"])
    assert [stage.votes for stage in verdict.stages] == [(), ()]


def test_a_cascade_reuses_the_verdicts_of_its_model(models: Models, tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "verdicts")
    alone, cascade = (make_judge(name, models, cache=cache) for name in ("no", "keyfacts+no"))
    assert alone is not None
    assert cascade is not None
    paid, free = (anyio.run(judge.decide, CHECKPOINT) for judge in (alone, cascade))
    assert (paid.usage.input_tokens is None, free.label, free.usage) == (True, "not_fulfilled", NO_USAGE)
