"""Losses between two runs: a task that can no longer be judged is worse, never absent."""

import pytest

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.regressions import MISSING, LostTask, compare_runs, have_common_tasks
from pytest_mcpbench.reporting.aggregates.telling_tasks import changed_tasks
from pytest_mcpbench.reporting.texts import run_comparison
from tests.reporting.samples import a_report, an_entry, scored


def passes(tasks: int = 20, **fields: str) -> list[Entry]:
    return [scored(f"t{number}", 1.0, **fields) for number in range(tasks)]


def broken(task: str, **fields: str) -> Entry:
    return an_entry(task, "error", error="no server offers the tool 'read'", error_kind="task", **fields)


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        ([broken("t0")], "task: no server offers the tool 'read'"),
        ([], MISSING),
        ([scored("t0", None, unscored={"ast": "no judge"})], "unscored: ast: no judge"),
        ([scored("renamed", 1.0)], MISSING),
    ],
    ids=["removed tool", "missing", "unscored", "renamed task"],
)
def test_a_task_without_a_verdict_in_the_second_run_is_lost(now: list[Entry], reason: str) -> None:
    comparison = compare_runs(a_report(*passes()), a_report(*passes()[1:], *now))
    assert comparison.lost == (LostTask("s", "m", "t0", reason),)
    assert comparison.worse_tasks == 1
    assert not comparison.has_regression
    shown = run_comparison.terminal(comparison, (), {})
    assert f"  lost, counts as worse ({reason}): t0" in shown.splitlines()
    assert "lost" in shown.splitlines()[1]


def test_a_suite_whose_server_no_longer_starts_is_lost_as_a_whole() -> None:
    before = a_report(*passes(), *passes(suite="mail"))
    after = a_report(*passes(), *(broken(f"t{number}", suite="mail") for number in range(20)))
    comparison = compare_runs(before, after)
    assert len(comparison.lost_by("mail", "m")) == comparison.worse_tasks == 20
    assert comparison.has_regression
    shown = run_comparison.terminal(comparison, (), {})
    assert "mail, m: no task has a verdict in both runs" in shown
    assert "mail   m      passed     n/a    n/a      0" in shown


def test_a_comparison_fits_the_terminal() -> None:
    comparison = compare_runs(
        a_report(*passes()), a_report(*(scored(f"renamed-{number}", 1.0) for number in range(20)))
    )
    shown = run_comparison.terminal(comparison, ("a condition " * 10,), {}, columns=60)
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.split() == run_comparison.terminal(comparison, ("a condition " * 10,), {}).split()


def test_lost_and_new_tasks_are_listed_in_natural_order() -> None:
    before, after = (
        a_report(*(scored(f"{kind}-{number}", 1.0) for number in (10, 2)), scored("t", 1)) for kind in "ab"
    )
    shown = run_comparison.terminal(compare_runs(before, after), (), {})
    assert "the second run): a-2, a-10" in shown
    assert "has a verdict: b-2, b-10" in shown


def test_a_suite_that_is_absent_is_lost() -> None:
    before = a_report(*passes(), *passes(suite="mail"), *passes(model="other"))
    comparison = compare_runs(before, a_report(*passes(), *passes(model="other")))
    assert {(each.suite, each.model) for each in comparison.lost} == {("mail", "m")}


def test_a_model_that_only_one_run_has_is_named_and_counts_nowhere() -> None:
    agents = *passes(model="lexical"), *passes(model="other")
    before = a_report(*passes(), *passes(suite="mail"), *agents)
    after = a_report(*passes(), *passes(suite="mail"), *passes(model="new"))
    comparison = compare_runs(before, after)
    assert changed_tasks(before, after) == []
    assert (comparison.lost, comparison.worse_tasks, comparison.has_regression) == ((), 0, False)
    assert comparison.remarks == ("Only in the first run: other, lexical (no model).", "Only in the second run: new.")
    assert set(comparison.remarks) < set(run_comparison.terminal(comparison, (), {}).splitlines())


def test_a_renamed_model_is_compared_and_not_lost() -> None:
    assert compare_runs(a_report(*passes(model="old")), a_report(*passes(model="new"))).lost == ()


def test_a_task_is_lost_where_some_of_its_trials_newly_end_in_an_error() -> None:
    three = [scored("a", 1.0, trial=number) for number in (1, 2, 3)]
    once = [three[0], *(one.model_copy(update={"outcome": "error"}) for one in three[1:])]
    assert [each.task for each in compare_runs(a_report(*three), a_report(*once)).lost] == ["a"]
    assert compare_runs(a_report(*once), a_report(*three)).lost == ()
    assert compare_runs(a_report(*three), a_report(three[0])).lost == ()


def test_a_task_with_an_unscored_trial_is_judged_by_the_others() -> None:
    three = [scored("a", 1.0, trial=number) for number in (1, 2, 3)]
    partly = [*three[:2], scored("a", None, trial=3, unscored={"ast": "no judge"})]
    assert compare_runs(a_report(*three), a_report(*partly)).worse_tasks == 0
    worse = [scored("a", 0.0), scored("a", None, trial=2), scored("a", None, trial=3)]
    comparison = compare_runs(a_report(*three), a_report(*worse))
    assert (comparison.lost, comparison.worse_tasks) == ((), 1)
    open_ = [scored("a", None, trial=number) for number in (1, 2, 3)]
    assert [each.task for each in compare_runs(a_report(*three), a_report(*open_)).lost] == ["a"]
    assert compare_runs(a_report(*open_), a_report(*three)).lost == ()


def test_a_run_that_was_interrupted_is_said_first() -> None:
    end = {"cause": "interrupted", "reason": "SIGINT", "selected": 20}
    comparison = compare_runs(a_report(*passes()), a_report(*passes(12), facts={"end": end}))
    told = "The second run is not complete: interrupted: 12 of 20 attempts ran (SIGINT)."
    assert comparison.ends == (told,)
    assert told in run_comparison.terminal(comparison, (), {}).splitlines()
    assert compare_runs(a_report(*passes()), a_report(*passes())).ends == ()


def test_a_task_that_is_lost_and_worse_counts_once() -> None:
    three = [scored("a", 1.0, trial=number) for number in (1, 2, 3)]
    now = [scored("a", 0.0), an_entry("a", "error", trial=2), an_entry("a", "error", trial=3)]
    assert compare_runs(a_report(*three), a_report(*now)).worse_tasks == 1


def test_the_gate_holds_its_error_rate_for_all_suites_together() -> None:
    """Six of twenty tasks fell, p = 0.03: significant for one suite, but not for the worst of two."""
    fallen = [scored(f"t{number}", float(number >= 6)) for number in range(20)]
    assert compare_runs(a_report(*passes()), a_report(*fallen)).has_regression
    other = passes(suite="mail")
    assert not compare_runs(a_report(*passes(), *other), a_report(*fallen, *other)).has_regression


def test_a_suite_is_itself_although_another_file_of_its_name_was_added() -> None:
    before = [scored("a", 1.0, node_id="x/s.yaml::a")]
    after = [
        scored("a", 1.0, suite="s (x/s.yaml)", node_id="x/s.yaml::a"),
        scored("a", 0.0, suite="s (y/s.yaml)", node_id="y/s.yaml::a"),
    ]
    comparison = compare_runs(a_report(*before), a_report(*after))
    assert comparison.lost == ()
    assert comparison.pairs[0].comparison.difference == 0


def test_runs_have_common_tasks_although_all_of_them_are_errors() -> None:
    assert have_common_tasks(a_report(scored("a", 1)), a_report(broken("a")))
    assert not have_common_tasks(a_report(scored("a", 1)), a_report(scored("b", 1)))
