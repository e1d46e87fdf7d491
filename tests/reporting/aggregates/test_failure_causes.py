"""The cause of an attempt is what decided its verdict."""

import pytest

from pytest_mcpbench.core.tool_choice import ArgumentCheck, ChosenTool, ToolChoice
from pytest_mcpbench.reporting.aggregates.failure_causes import Cause, cause_of
from pytest_mcpbench.reporting.aggregates.telling_tasks import reason_of
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
        ({"ast": 1.0, "effects": 0.0}, Cause("wrong or unasked change")),
        ({"exec": 0.5, "effects": 1.0}, Cause("asked change missing")),
        ({"coverage": 1.0, "contradiction_free": 0.5}, Cause("answer contradicts the reference")),
        ({"coverage": 0.5, "contradiction_free": 0.5}, Cause("answer contradicts the reference")),
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


def test_a_score_that_only_rounding_puts_under_its_floor_is_no_cause() -> None:
    scores = {"dtsr": 0.75 - 1e-15, "tool_f1": 0.5}
    entry = an_entry(outcome="failed", scores=scores, floors={"dtsr": 0.75, "tool_f1": 1.0})
    assert (cause_of(entry), reason_of(entry)) == (Cause("tool_f1 below its floor"), "tool_f1 0.5 < 1")


@pytest.mark.parametrize(
    ("kind", "told"), [("internal", "internal error"), (None, "internal error"), ("server", "error of the server")]
)
def test_the_cause_of_an_error_names_who_must_act(kind: str | None, told: str) -> None:
    assert cause_of(an_entry(outcome="error", error="no disk", error_kind=kind)) == Cause(told, "no disk")


@pytest.mark.parametrize(
    ("is_read", "world", "kind"),
    [(True, 1.0, "needless read"), (True, 0.0, "needless call"), (False, 1.0, "needless call")],
    ids=["a read", "a read beside a wrong change", "a write"],
)
def test_a_read_that_the_reference_does_not_have_is_told_apart(is_read: bool, world: float, kind: str) -> None:
    choice = ToolChoice(
        tools=(
            ChosenTool(expected="edit_file", called="edit_file"),
            ChosenTool(expected="(none)", called="read_text", is_read=is_read),
        )
    )
    scores = {"ast": 0.0, "effects": world}
    entry = an_entry(outcome="failed", choice=choice, scores=scores, floors=dict.fromkeys(scores, 1.0))
    assert cause_of(entry) == Cause(kind, "read_text")


@pytest.mark.parametrize(
    ("model", "labels", "kind"),
    [
        ("claude", ("no_tool_called", "refused"), "refused"),
        ("claude", ("no_tool_called",), "no tool called"),
        ("lexical", ("no_tool_called", "refused"), "no tool called"),
    ],
)
def test_a_refusal_of_a_model_comes_first(model: str, labels: tuple[str, ...], kind: str) -> None:
    choice = ToolChoice(tools=(ChosenTool(expected="rain", called="(none)"),))
    assert cause_of(an_entry(outcome="failed", model=model, choice=choice, failures={"rules": labels})).kind == kind
