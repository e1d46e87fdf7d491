from typing import get_args

import pytest

from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.judges.prompts import TEMPLATES, reply_schema, system_prompt, user_prompt

KINDS = get_args(Question.model_fields["kind"].annotation)


def test_every_kind_of_question_has_a_template_with_its_own_version() -> None:
    assert set(TEMPLATES) == set(KINDS)
    assert all(template.version.startswith(f"{kind}-") for kind, template in TEMPLATES.items())


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_holds_the_question_its_context_and_its_labels(kind: str) -> None:
    question = Question(
        kind=kind, statement="STATED", evidence="SHOWN", context={"request": "ASKED"}, labels=("left", "right")
    )
    shown = user_prompt(question)
    assert [shown.index(part) for part in ("ASKED", "STATED", "SHOWN")] == sorted(
        shown.index(part) for part in ("ASKED", "STATED", "SHOWN")
    )
    assert "left, right" in system_prompt(question)
    assert reply_schema(question)["json_schema"]["schema"]["properties"]["label"]["enum"] == ["left", "right"]


def test_a_claim_is_judged_with_the_papers_tolerances() -> None:
    prompt = system_prompt(Question(kind="claim", statement="s", evidence="e"))
    assert "within 5 % of the stated number, percentages within one point" in prompt
