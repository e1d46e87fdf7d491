"""The cause of an attempt is what decided its verdict."""

import pytest

from pytest_mcpbench.core.tool_choice import ArgumentCheck, ChosenTool, ToolChoice
from pytest_mcpbench.reporting.aggregates.failure_causes import Cause, cause_of
from tests.reporting.samples import an_entry

WRONG_DAYS = ToolChoice(
    tools=(ChosenTool(expected="rain", called="rain"),),
    arguments=(ArgumentCheck(tool="rain", parameter="days", mistake="wrong value"),),
)


@pytest.mark.parametrize(
    ("scores", "cause"),
    [
        ({"ast": 0.0}, Cause("wrong argument", "rain.days: wrong value")),
        ({"operation": 0.0, "effects": 0.0}, Cause("wrong argument", "rain.days: wrong value")),
        ({"ast": 1.0, "effects": 0.0}, Cause("effects below its floor")),
        ({"exec": 0.5, "effects": 1.0}, Cause("exec below its floor")),
        ({"coverage": 0.5}, Cause("wrong answer")),
        ({}, Cause("wrong argument", "rain.days: wrong value")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_an_argument_is_a_cause_only_where_a_low_score_compares_arguments(
    scores: dict[str, float], cause: Cause
) -> None:
    entry = an_entry(outcome="failed", choice=WRONG_DAYS, scores=scores, floors=dict.fromkeys(scores, 1.0))

    assert cause_of(entry) == cause
