"""Which judge a name means."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.judges.cache import VerdictCache
from pytest_mcpbench.runtime.judges.factory import make_judge
from pytest_mcpbench.runtime.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.runtime.judges.llm import LlmJudge
from pytest_mcpbench.runtime.models.factory import Models


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
