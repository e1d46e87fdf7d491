"""Page of a comparison: verdict first, differences that agree with the tables, trajectories side by side."""

import re

import pytest

from pytest_mcpbench.core.gate.result import Explanation, TaskTraces
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.model_comparison import without_repeated_criteria
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.page.comparison_page import (
    aligned,
    comparison_page,
    comparison_sections,
    difference_forest,
    headlines,
    verdict,
)
from pytest_mcpbench.reporting.pull_request import comparison
from pytest_mcpbench.reporting.pull_request.comparison import ComparedRuns
from pytest_mcpbench.reporting.tables.resource_changes import resource_changes, resource_table
from pytest_mcpbench.reporting.texts.run_comparison import findings
from tests.reporting.samples import HOSTILE, a_report, an_entry


def attempts(passed: int, of: int, *, cost: float | None = 1.0, **fields: object) -> list[Entry]:
    usage = Usage(input_tokens=10, output_tokens=5, cost_usd=cost)
    return [
        an_entry(f"t-{index}", "passed" if index < passed else "failed", usage=usage, seconds=2.0, **fields)
        for index in range(of)
    ]


def runs(before: Report, after: Report, **fields: object) -> ComparedRuns:
    return ComparedRuns(before, after, compare_runs(before, after), **fields)  # type: ignore[arg-type]


VERDICTS = {
    "fewer": (attempts(20, 20), attempts(5, 20), "Significantly fewer attempts pass in the second run."),
    "more": (attempts(5, 20), attempts(20, 20), "Significantly more attempts pass in the second run: s (m)."),
    "noise": (attempts(10, 20), attempts(9, 20), "The difference in passes is not significant."),
    "equal": (attempts(10, 20), attempts(10, 20), "All 20 tasks have the same verdict in both runs."),
    "lost": (
        attempts(10, 20),
        attempts(10, 19),
        "All 19 tasks have the same verdict in both runs; 1 task lost the verdict and counts as worse.",
    ),
    "only errors": (
        attempts(1, 1),
        [an_entry("t-0", "error", error="gone", error_kind="server")],
        "No task has a verdict in both runs; 1 task lost the verdict and counts as worse.",
    ),
}


@pytest.mark.parametrize(("before", "after", "sentence"), VERDICTS.values(), ids=VERDICTS)
def test_the_verdict_is_one_sentence_and_the_first_section(
    before: list[Entry], after: list[Entry], sentence: str
) -> None:
    compared = runs(a_report(*before), a_report(*after))

    assert verdict(compared.comparison) == sentence
    first = comparison_sections(compared)[0]
    assert sentence in first.body
    assert ("failed" in first.body.split(">")[0]) == compared.comparison.has_regression


def test_the_worst_suite_is_first_and_each_is_marked_in_words() -> None:
    kinds = {"better": (2, 20), "same": (9, 10), "worse": (20, 12), "worst": (20, 2)}
    before = [entry for suite, (passed, _) in kinds.items() for entry in attempts(passed, 20, suite=suite)]
    after = [entry for suite, (_, passed) in kinds.items() for entry in attempts(passed, 20, suite=suite)]
    gone = attempts(1, 1, suite="gone")
    compared = runs(a_report(*before, *gone), a_report(*after))
    expected = ["✗ worse: worst", "✗ worse: worse", "= not significant: same", "✓ better: better"]

    in_terminal = [line.partition(",")[0] for line in findings(compared.comparison, {}) if line[0] != " "]
    on_page = [line.partition(",")[0] for line in headlines(compared)]
    in_comment = [line.replace("**", "")[2:8] for line in comparison.text(compared).split("\n") if ": **" in line[:30]]

    assert in_terminal == ["✗ lost: gone", *expected]
    assert on_page == expected
    assert in_comment == ["✗ lost", "✗ wors", "✗ wors", "= not ", "✓ bett"]


def test_a_criterion_with_the_same_passes_is_not_shown_again_and_only_what_is_significant_has_a_colour() -> None:
    def verdicts(passed: int, guarded: int) -> list[Entry]:
        return [
            an_entry(f"t-{n}", outcome, verdicts={"paper": "passed" if n < passed else "failed", "guarded": outcome})
            for n in range(8)
            for outcome in ("passed" if n < guarded else "failed",)
        ]

    compared = runs(a_report(*verdicts(8, 8)), a_report(*verdicts(8, 4)))
    plot = difference_forest(without_repeated_criteria(compared.comparison.pairs))
    assert [row[0] for row in plot.table.rows] == ["pass rate", "paper"]
    assert "fail" not in re.findall(r'class="(\w+) stroke"', str(plot.html("d")))


def test_changed_tasks_stand_by_direction_and_cause_with_both_trajectories() -> None:
    traces = TaskTraces(task="t-0", baseline=("look()", "open(1)"), candidate=("look()", "open(2)", HOSTILE))
    compared = runs(
        a_report(*attempts(2, 3)),
        a_report(*attempts(0, 2, scores={"ast": 0.0}, floors={"ast": 1.0}), an_entry("t-2")),
        explanations={("s", "m"): Explanation(traces=(traces,))},
    )

    changed = comparison_sections(compared)[1].body
    assert re.findall(r"<summary>(.*?)</summary>", changed) == [
        "Worse: ast below its floor (2 tasks)",
        "s/t-0 <small>m · 1/1 → 0/1 passed</small>",
        "s/t-1 <small>m · 1/1 → 0/1 passed</small>",
        "Better, before: failed (1 task)",
        "s/t-2 <small>m · 0/1 → 1/1 passed</small>",
    ]
    assert re.findall(r"<details class=fold( open)?><summary>s/", changed) == [" open", "", ""]
    assert '<tr><td class="words">look()</td><td class="words">look()</td></tr>' in changed
    assert '<tr class=differs><td class="words">open(1)</td><td class="words">open(2)</td></tr>' in changed
    assert "<script>" not in changed
    assert "".join(comparison_page(compared)).count("<h2") == 4


def test_equal_steps_stand_beside_each_other_after_an_inserted_one() -> None:
    assert list(aligned(["a", "c"], ["a", "b", "c"])) == [("a", "a", True), ("", "b", False), ("c", "c", True)]


def test_differences_of_cost_and_time_are_of_the_tasks_that_both_runs_know() -> None:
    before = [*attempts(8, 8, cost=1.0), an_entry("unknown", usage=Usage(cost_usd=None))]
    after = [*attempts(8, 8, cost=1.5), an_entry("unknown", usage=Usage(cost_usd=9.0))]
    changes = {each.resource.name: each for each in resource_changes(a_report(*before), a_report(*after))}

    cost = changes["cost"]
    assert (cost.before, cost.after, cost.difference, cost.tasks, cost.unknown) == (1.0, 1.5, 0.5, 8, 1)
    assert cost.share == 0.5
    assert cost.interval is not None
    assert cost.interval.low <= 0.5 <= cost.interval.high
    (row,) = (row for row in resource_table([cost]).rows)
    assert row[:6] == ("s", "m", "cost", "$1.00", "$1.50", "+$0.5000")


def test_an_unknown_cost_is_unknown_and_not_zero() -> None:
    known, unknown = attempts(8, 8), attempts(8, 8, cost=None)
    (cost, *_) = resource_changes(a_report(*known), a_report(*unknown))

    assert (cost.before, cost.after, cost.difference, cost.interval, cost.tasks) == (None, None, None, None, 0)
    assert resource_table([cost]).rows == (("s", "m", "cost", "unknown", "unknown", "0", "8"),)


def test_few_tasks_give_a_difference_without_an_interval() -> None:
    (cost, *_) = resource_changes(a_report(*attempts(3, 3)), a_report(*attempts(3, 3, cost=2.0)))
    assert (cost.difference, cost.interval) == (1.0, None)
