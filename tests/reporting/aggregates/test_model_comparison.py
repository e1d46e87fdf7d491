"""Models and runs against each other."""

import pytest

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    Efficiency,
    between_runs,
    compare_with_best,
    efficiencies,
    ranks,
)
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.aggregates.summary import summaries
from pytest_mcpbench.reporting.tables.models import comparison_table
from tests.reporting.samples import a_report, an_entry, scored


def of_model(model: str, passes: int, tasks: int = 20) -> list[Entry]:
    return [scored(f"t{number:02}", float(number < passes), model=model) for number in range(tasks)]


def test_models_whose_intervals_overlap_share_a_rank() -> None:
    made = summaries(a_report(*of_model("best", 20), *of_model("good", 18), *of_model("poor", 0)))
    assert ranks(made) == {("s", "best"): 1, ("s", "good"): 1, ("s", "poor"): 3}


def test_agents_without_a_model_are_neither_ranked_nor_the_best_beside_models() -> None:
    report = a_report(*of_model("oracle@rounds:5", 20), *of_model("good", 18), *of_model("poor", 0))
    assert ranks(summaries(report)) == {("s", "good"): 1, ("s", "poor"): 2}
    assert {pair.left for pair in compare_with_best(report, summaries(report))} == {"good"}
    assert ranks(summaries(a_report(*of_model("oracle", 20), *of_model("noop", 0)))) == {
        ("s", "noop"): 2,
        ("s", "oracle"): 1,
    }


def test_one_model_has_no_rank() -> None:
    assert ranks(summaries(a_report(*of_model("only", 3)))) == {}


def test_efficiency_is_relative_within_a_domain() -> None:
    def using(model: str, domain: str, tokens: int | None) -> Entry:
        usage = Usage(input_tokens=tokens, output_tokens=0)
        return an_entry(domain, model=model, tags={"domain": domain}, usage=usage)

    entries = [using("a", "mail", 100), using("b", "mail", 300), using("c", "mail", 200), using("a", "math", 5)]
    entries += [using("oracle", "mail", 0), using("noop", "math", 0)]
    assert efficiencies(a_report(*entries)) == (
        Efficiency("s", "mail", "a", 100, 1.0),
        Efficiency("s", "mail", "b", 300, 0.0),
        Efficiency("s", "mail", "c", 200, 0.5),
    )


def test_models_that_use_no_tokens_are_not_compared_by_them() -> None:
    assert efficiencies(a_report(*of_model("oracle", 2), *of_model("noop", 0))) == ()


def test_every_model_is_compared_with_the_best() -> None:
    report = a_report(*of_model("best", 20), *of_model("poor", 5))
    (pair,) = compare_with_best(report, summaries(report))
    assert (pair.left, pair.right, pair.comparison.difference, pair.comparison.worse) == ("best", "poor", -0.75, 15)


def test_two_runs_of_a_model_are_compared_by_task_and_metric() -> None:
    before, after = a_report(*of_model("m", 20)), a_report(*of_model("m", 8))
    passed, ast = between_runs(before, after)
    assert (passed.metric, ast.metric) == ("passed", "ast")
    assert passed.comparison.difference == pytest.approx(-0.6)
    assert [task for task, _, _ in passed.changed] == [f"t{number:02}" for number in range(8, 20)]
    assert compare_runs(before, after).has_regression
    assert not compare_runs(after, before).has_regression


def test_runs_are_compared_by_each_criterion_where_the_suite_has_guards() -> None:
    def run(paper: str, guarded: str) -> Report:
        verdicts = {"paper": paper, "guarded": guarded}
        return a_report(*(an_entry(f"{n}", guarded, verdicts=verdicts) for n in range(10)), an_entry("e", "error"))

    before, after = run("passed", "passed"), run("passed", "failed")
    found = {each.metric: each.comparison.difference for each in between_runs(before, after)}
    assert found == {"passed": -1.0, "paper": 0.0, "guarded": -1.0}
    assert [each.metric for each in between_runs(before, a_report(an_entry("1", "passed")))] == ["passed"]


def test_runs_of_one_model_each_are_compared_across_models() -> None:
    pairs = between_runs(a_report(*of_model("old", 3)), a_report(*of_model("new", 3)))
    assert [(pair.left, pair.right) for pair in pairs] == [("old", "new"), ("old", "new")]


def test_runs_without_a_common_task_give_nothing() -> None:
    assert between_runs(a_report(scored("a", 1)), a_report(scored("b", 1))) == ()
    assert between_runs(a_report(scored("a", 1)), a_report(scored("a", 1, suite="other"))) == ()


def test_errors_are_in_no_comparison() -> None:
    after = [an_entry(f"t{number:02}", "error") for number in range(10)] + of_model("m", 20)[10:]
    passed, _ = between_runs(a_report(*of_model("m", 20)), a_report(*after))
    assert (passed.comparison.tasks, passed.comparison.difference) == (10, 0)
    assert len(passed.comparison.only_left) == 10


@pytest.mark.parametrize(("tasks", "star", "p"), [(6, "", "0.031 (1 task)"), (7, " *", "0.016"), (5, "", "n/a")])
def test_a_difference_that_one_task_decides_has_no_star(tasks: int, star: str, p: str) -> None:
    report = a_report(
        *(an_entry(f"t-{index}", "passed", model="good") for index in range(tasks)),
        *(an_entry(f"t-{index}", "failed", model="bad") for index in range(tasks)),
    )
    table = comparison_table(report, summaries(report))
    (row,) = table.rows
    cells = dict(zip(table.headings, row, strict=True))

    assert cells["difference"] == f"-1.000{star}"
    assert cells.get("p", "n/a") == p
    assert ("(1 task)" in table.note) == (tasks == 6)
