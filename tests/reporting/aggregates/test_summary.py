"""Entries gathered by suite and model, with every denominator."""

import pytest

from pytest_mcpbench.core.evidence import REPLAYED
from pytest_mcpbench.reporting.aggregates.summary import Repetition, by_tag, summaries
from pytest_mcpbench.reporting.tables.results import metric_table, trial_table
from pytest_mcpbench.statistics.intervals import wilson
from tests.reporting.samples import a_report, an_entry, scored


def test_errors_and_unscored_attempts_are_beside_the_pass_rate() -> None:
    (made,) = summaries(a_report(scored("a", 1), scored("b", 0), scored("c", None), an_entry("d", "error")))
    assert (made.attempts, made.passed, made.failed, made.errors, made.unscored) == (4, 1, 1, 1, 1)
    assert (made.pass_rate, made.rate.range, made.completed_attempts) == (None, (1 / 3, 2 / 3), 3)
    assert made.pass_interval == (wilson(1, 3).low, wilson(2, 3).high)
    metric = made.metrics["ast"]
    assert (metric.macro, metric.n, metric.errors, metric.unscored, metric.not_applicable) == (0.5, 2, 1, 1, 0)


def test_a_metric_that_does_not_apply_is_not_unscored() -> None:
    silent = an_entry("a", scores={"answer": None}, unscored={"answer": "no reference"}, not_applicable=("answer",))
    metric = summaries(a_report(silent, scored("b", 1, metric="answer")))[0].metrics["answer"]
    assert (metric.n, metric.unscored, metric.not_applicable) == (1, 0, 1)


def test_equally_frequent_failures_have_the_order_in_which_they_appear() -> None:
    labels = tuple(f"label_{number}" for number in (7, 3, 9, 1, 8, 2))
    (made,) = summaries(a_report(an_entry("a", "failed", failures={"rules": labels})))
    assert tuple(made.failures["rules"]) == labels


def test_suites_and_models_are_kept_apart_in_the_order_of_their_names() -> None:
    report = a_report(scored("a", 1, model="z"), scored("a", 0, model="b"), scored("a", 1, suite="first"))
    assert [(made.suite, made.model, made.pass_rate) for made in summaries(report)] == [
        ("first", "m", 1),
        ("s", "b", 0),
        ("s", "z", 1),
    ]


def test_pass_at_k_is_over_the_same_tasks_for_every_k() -> None:
    trials = {"a": (1, 0), "b": (1, 1), "c": (1, 0, 1)}
    entries = [scored(task, value, trial=n) for task, values in trials.items() for n, value in enumerate(values, 1)]
    (made,) = summaries(a_report(*entries, scored("d", 1), an_entry("d", "error", trial=2)))
    assert made.tasks == 4
    assert [(each.k, each.tasks) for each in made.repetition] == [(1, 3), (2, 3)]
    assert [each.pass_at for each in made.repetition] == [pytest.approx(13 / 18), 1.0]
    assert [each.pass_hat for each in made.repetition] == [pytest.approx(13 / 18), pytest.approx(4 / 9)]


def test_pass_at_k_has_no_value_where_replayed_servers_hide_whether_calls_succeed() -> None:
    report = a_report(
        *(
            scored(
                "a",
                1,
                trial=trial,
                scores={"ast": 1.0, "tool_success": None},
                unscored={"tool_success": REPLAYED},
                gaps={"tool_success": "replayed"},
                not_applicable=("tool_success",),
            )
            for trial in (1, 2)
        )
    )

    (made,) = summaries(report)
    assert made.repetition == (Repetition(1, None, None, 1), Repetition(2, None, None, 1))
    tables = {table.title: table for table in (trial_table([made]), metric_table([made]))}
    assert tables["Trials"].note == f"pass@k n/a: {REPLAYED}"
    assert tables["Metrics"].note == f"tool_success n/a: {REPLAYED}"


def test_one_trial_has_no_pass_at_k() -> None:
    assert summaries(a_report(scored("a", 1)))[0].repetition == ()


def test_micro_pools_the_counts_of_tasks() -> None:
    small = scored("a", 1, metric="tool_f1", counts={"tool_f1": {"hits": 1, "called": 1, "expected": 1}})
    large = scored("b", 0, metric="tool_f1", counts={"tool_f1": {"hits": 0, "called": 1, "expected": 7}})
    metric = summaries(a_report(small, large))[0].metrics["tool_f1"]
    assert (metric.macro, metric.micro) == (0.5, 0.2)


def test_coverage_has_a_share_at_each_threshold() -> None:
    values = [scored(str(number), value, metric="coverage") for number, value in enumerate((0.5, 0.8, 0.95, None))]
    assert summaries(a_report(*values))[0].thresholds == {"coverage": {0.5: 1.0, 0.75: 2 / 3, 0.9: 1 / 3}}


def test_failures_of_errors_are_not_the_models() -> None:
    failed = an_entry("a", "failed", failures={"rules": ("wrong_tool", "no_answer")})
    broken = an_entry("b", "error", failures={"rules": ("no_tool_called",)}, error_kind="server")
    (made,) = summaries(a_report(failed, broken))
    assert made.failures == {"rules": {"wrong_tool": 1, "no_answer": 1}}
    assert made.error_kinds == {"server": 1}


def test_a_tag_splits_the_entries_that_have_it() -> None:
    report = a_report(
        scored("a", 1, tags={"difficulty": "easy"}), scored("b", 0, tags={"difficulty": "hard"}), scored("c", 1)
    )
    assert {value: made[0].pass_rate for value, made in by_tag(report, "difficulty").items()} == {"easy": 1, "hard": 0}
