"""Range and interquartile range over models."""

import pytest

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.summary import summaries
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.page import report_page
from pytest_mcpbench.reporting.tables.models import ModelRange, model_ranges
from pytest_mcpbench.reporting.texts import terminal
from tests.reporting.samples import a_report, scored

WRONG_TOOL, SYNTHESIS = "tool_usage:wrong_tool_selection", "response_quality:incorrect_conclusion"
PARAMETERS = "tool_usage:incorrect_tool_parameters"


def _report(**patterns: tuple[str, ...]) -> Report:
    """Return a report in which each model has one passed attempt and a failed one for each pattern."""
    return a_report(
        *(scored("passed", 1, model=model) for model in patterns),
        *(
            scored(f"t{number}", 0, model=model, failures={"atlas_primary_2025": (pattern,)})
            for model, of_model in patterns.items()
            for number, pattern in enumerate(of_model)
        ),
    )


FOUR = _report(
    a=(WRONG_TOOL,) * 4,
    b=(WRONG_TOOL, WRONG_TOOL, SYNTHESIS, PARAMETERS),
    c=(WRONG_TOOL, SYNTHESIS, SYNTHESIS, SYNTHESIS),
    d=(SYNTHESIS,) * 4,
)


def _range(report: Report, value: str) -> ModelRange:
    return next(each for each in model_ranges(summaries(report)) if each.value == value)


def test_shares_are_of_the_failed_attempts_and_models_without_the_label_count_as_none() -> None:
    found = _range(FOUR, WRONG_TOOL)
    assert (found.of, found.models, found.low, found.high) == ("failed attempts", 4, 0, 1)
    assert (found.first_quartile, found.median, found.third_quartile) == pytest.approx((0.1875, 0.375, 0.625))


def test_patterns_add_up_to_their_category() -> None:
    category = _range(FOUR, "tool_usage")
    assert (category.low, category.median, category.high) == (0, 0.5, 1)


def test_a_model_without_a_failure_has_no_share() -> None:
    found = _range(_report(a=(WRONG_TOOL,), b=(SYNTHESIS,), c=()), WRONG_TOOL)
    assert (found.models, found.low, found.high) == (2, 0, 1)


def test_agents_without_a_model_are_in_no_range_over_models() -> None:
    alone = model_ranges(summaries(_report(a=(WRONG_TOOL,), b=(SYNTHESIS,))))
    assert alone == model_ranges(summaries(_report(a=(WRONG_TOOL,), b=(SYNTHESIS,), noop=(PARAMETERS,), oracle=())))


def test_pass_rates_have_a_range_too() -> None:
    found = _range(_report(a=(WRONG_TOOL,), b=(WRONG_TOOL,) * 3), "pass rate")
    assert (found.low, found.first_quartile, found.high) == pytest.approx((0.25, 0.3125, 0.5))


def test_one_model_has_no_range() -> None:
    assert model_ranges(summaries(_report(a=(WRONG_TOOL,)))) == ()


def test_every_format_shows_the_ranges() -> None:
    shown = "\n".join(terminal.lines(FOUR, verbosity=1))
    row = next(
        line
        for line in shown.splitlines()
        if f"atlas_primary_2025 {WRONG_TOOL}" in line and "models" not in line and "failed attempts" in line
    )
    assert row.split()[-10:] == ["0.0", "%", "18.8", "%", "37.5", "%", "62.5", "%", "100.0", "%"]
    assert '"ranges_over_models": [\n    {' in json.text(FOUR)
    assert "Ranges over models" in "".join(report_page.report_page(FOUR, lambda _: iter(())))
