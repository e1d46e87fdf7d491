from typing import Any

import pytest

from pytest_mcpbench.core.evidence import VerifyResult
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Expected, VerifyCheck
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.metrics.verify import Verify
from tests.builders import a_task, evidence_of

FOUND = ToolResult.of_text('{"items": [{"name": "Review", "at": "2026-03-02T10:00:00Z"}], "n": 1, "none": null}')


def _score(result: ToolResult, **check: Any) -> Score:
    asked = VerifyCheck(tool="read", **check)
    evidence = evidence_of(verified=(VerifyResult(check=asked, result=result),))
    return Verify()(a_task(expected=Expected(verify=(asked,))), evidence)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        ({"path": "items[0].name", "equals": "Review"}, 1),
        ({"path": "items.0.name", "equals": "review"}, 0),
        ({"path": "items[0].at", "equals": "2026-03-02T10:00"}, 1),
        ({"path": "n", "equals": 1.0}, 1),
        ({"path": "n", "equals": True}, 0),
        ({"path": "items[1].name", "equals": "Review"}, 0),
        ({"path": "items", "contains": "Review"}, 1),
        ({"contains": "Revue"}, 0),
        ({"path": "items"}, 1),
        ({"path": "none"}, 0),
        ({"path": "none", "equals": None}, 1),
        ({"path": "items[0].name", "equals": None}, 0),
        ({"path": "gone", "equals": None}, 0),
        ({"path": "gone"}, 0),
    ],
)
def test_a_check_compares_the_decoded_result_at_its_path(check: dict[str, Any], value: float) -> None:
    assert _score(FOUND, **check) == value


def test_a_plain_text_is_compared_as_it_is() -> None:
    assert _score(ToolResult.of_text("12 open\n"), equals="12 open") == 1


def test_the_structured_value_comes_first_and_several_blocks_are_a_list() -> None:
    assert _score(ToolResult(structured={"a": 1}), path="a", equals=1) == 1
    two = ToolResult(content=(Content(type="text", text='{"a": 1}'), Content(type="text", text='{"a": 2}')))
    assert _score(two, path="[1].a", equals=2) == 1


def test_a_tool_error_is_an_answer_that_fails_the_check() -> None:
    assert _score(ToolResult.failure("no such note", "tool"), equals="x") == Score(
        value=0,
        reasons=("does not hold: read({}) answered with an error: no such note",),
        counts={"part": 0, "whole": 1},
    )


def test_a_read_that_did_not_come_back_leaves_it_unscored() -> None:
    score = _score(ToolResult.failure("gone", "timeout"), equals="x")
    assert score == Score.missing("read({}) could not be asked: gone")


def test_a_check_that_was_not_asked_leaves_it_unscored() -> None:
    task = a_task(expected=Expected(verify=(VerifyCheck(tool="read"),)))
    assert Verify()(task, evidence_of()) == Score.missing("read({}) was not asked")


def test_without_checks_it_does_not_apply() -> None:
    assert Verify()(a_task(), evidence_of()) == Score.not_applicable("the task has no verify checks")
