"""Pass rates of attempts of which some have no verdict, in every form of a report."""

import json
import re
from statistics import fmean

import pytest

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.measures import PASSED
from pytest_mcpbench.reporting.aggregates.model_comparison import compare_with_best
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.aggregates.summary import summaries
from pytest_mcpbench.reporting.data import badge
from pytest_mcpbench.reporting.data import json as as_json
from pytest_mcpbench.reporting.page.report_page import report_page
from pytest_mcpbench.reporting.pull_request import report as pull_request
from pytest_mcpbench.reporting.tables.grid import PLAIN
from pytest_mcpbench.reporting.tables.models import comparison_table
from pytest_mcpbench.reporting.texts import run_comparison, terminal
from pytest_mcpbench.statistics.intervals import mean_interval, wilson
from tests.reporting.samples import a_report, an_entry

RANGE = "0 – 62 % (3 of 8 decided)"


def attempts(passed: int, failed: int, unscored: int, errors: int = 0, **fields: str) -> list[Entry]:
    outcomes = ["passed"] * passed + ["failed"] * failed + ["unscored"] * unscored + ["error"] * errors
    return [an_entry(f"t{number}", outcome, tags={"kind": "k"}, **fields) for number, outcome in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((0, 3, 5), RANGE),
        ((0, 3, 5, 20), RANGE),
        ((5, 3, 0), "62.5 %"),
        ((0, 0, 8), "0 – 100 % (0 of 8 decided)"),
        ((996, 2, 2), "99.6 – 99.8 % (998 of 1,000 decided)"),
        ((0, 0, 0, 2), "n/a"),
    ],
    ids=["a range", "errors do not widen it", "all decided", "none decided", "a narrow range", "errors only"],
)
def test_the_pass_rate_is_what_is_known_of_it(counts: tuple[int, ...], text: str) -> None:
    assert PassRate.of(attempts(*counts)).text == text


def test_each_task_weighs_the_same_whatever_the_number_of_its_trials() -> None:
    report = a_report(*(an_entry("a", "passed", trial=n) for n in (1, 2, 3)), an_entry("b", "failed"))
    assert PassRate.of(report.entries).value == PASSED.of(report.entries).value == 0.5
    assert "passes 50.0 % of s" in "".join(terminal.sentence_lines(report))


def test_the_interval_allows_for_every_verdict_of_the_unscored_attempts() -> None:
    assert PassRate.of(attempts(0, 3, 5)).interval == (wilson(0, 8).low, wilson(5, 8).high)


def test_the_measure_of_passes_has_the_range_and_the_interval_of_the_pass_rate() -> None:
    outcomes = ("passed", "unscored", "failed", "unscored", "error")
    entries = [an_entry(f"t{n}", outcome, trial=t) for n in range(7) for t, outcome in enumerate(outcomes[: 1 + n % 5])]
    rate, number = PassRate.of(entries), PASSED.of(entries)
    least, greatest = [1, 1 / 2, 1 / 3, 1 / 4, 1 / 4, 1, 1 / 2], [1, 1, 2 / 3, 3 / 4, 3 / 4, 1, 1]
    assert number.bounds == rate.range == pytest.approx((fmean(least), fmean(greatest)))
    intervals = [mean_interval([[mean] for mean in means]) for means in (least, greatest)]
    assert number.interval == rate.interval == pytest.approx((intervals[0].low, intervals[1].high))


def test_every_report_shows_the_range() -> None:
    report = a_report(*attempts(0, 3, 5))
    heading, row = terminal.lines(report)[1:3]
    assert dict(zip(re.split("  +", heading), re.split("  +", row), strict=True))["pass rate"] == "0 – 62 %"
    assert RANGE in "\n".join(terminal.sentence_lines(report))
    assert "| m | 0 – 62 % |" in pull_request.text(report)
    page = "".join(report_page(report, lambda _: iter(())))
    assert RANGE in page.replace("\u2060", "").replace("\u00a0", " ")
    assert PLAIN.text(PASSED.of(report.entries)) == RANGE
    assert json.loads(badge.shields(report))["message"] == "0–62 %"
    (summary,) = json.loads(as_json.text(report))["summaries"]
    assert (summary["pass_rate"], summary["pass_range"], summary["verdicts"]) == (None, [0, 0.625], 3)


def test_a_comparison_of_models_with_other_unscored_shares_says_so() -> None:
    report = a_report(*attempts(4, 4, 0, model="a"), *attempts(2, 1, 5, model="b"))
    said = "unscored: 0 of 8 attempts of a, 5 of 8 of b; only tasks decided on both sides are compared"
    assert said in comparison_table(report, summaries(report)).note
    same = a_report(*attempts(4, 3, 1, model="a"), *attempts(2, 5, 1, model="b"))
    assert [pair.unscored_difference for pair in compare_with_best(same, summaries(same))] == [""]


def test_a_comparison_of_runs_with_other_unscored_shares_says_so() -> None:
    runs = compare_runs(a_report(*attempts(4, 4, 0)), a_report(*attempts(2, 1, 5)))
    text = run_comparison.terminal(runs, (), {})
    assert "unscored: 0 of 8 attempts before, 5 of 8 after" in text
    assert " % (3 of 8 decided)" in text.partition("with what is unscored: ")[2]
    (pair, *_) = json.loads(as_json.comparison(runs, {}))["comparisons"]
    assert (pair["left_unscored"], pair["right_unscored"], pair["right_range"]) == (0, 5, [0.25, 0.875])
