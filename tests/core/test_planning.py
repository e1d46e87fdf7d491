"""The plan of an attempt: values of the run count over the task's, and those over the suite's."""

from typing import Any

import pytest

from pytest_mcpbench.core.planning import Overrides, TaskPlan, plan_task, planned_limits, planned_trials
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Expected, Limits
from tests.builders import a_task


def a_suite(**fields: Any) -> SuiteManifest:
    return SuiteManifest(name="s", directory="/s", files=(TaskFileRef(path="t.yaml", loader="native"),), **fields)


@pytest.mark.parametrize(
    ("task", "run", "limits"),
    [
        (None, {}, (7, 3, 1800.0)),
        (Limits(seconds=5.0), {}, (7, 3, 5.0)),
        (Limits(seconds=5.0), {"seconds": 9.0, "rounds": 1}, (1, 3, 9.0)),
        (Limits(rounds=None), {}, (None, 3, 1800.0)),
    ],
    ids=["of the suite", "of the task", "of the run", "a task without a limit"],
)
def test_limits_by_precedence(task: Limits | None, run: dict[str, Any], limits: tuple[Any, ...]) -> None:
    suite = a_suite(limits=Limits(rounds=7, tool_calls=3))
    planned = planned_limits(suite, a_task(limits=task), Overrides(limits=run))
    assert (planned.rounds, planned.tool_calls, planned.seconds) == limits


def test_floors_and_metrics_of_suite_task_and_run_come_together() -> None:
    suite = a_suite(floors={"ast": 0.5, "dag": 0.5}, metrics=("route",), dispatcher="bm25")
    task = a_task(floors={"ast": 0.7, "answer": 0.7}, expected=Expected(answer="42"))
    plan = plan_task(suite, task, Overrides(floors={"answer": 0.9}, metrics=("dtsr", "ast")))
    floors = {"ast": 0.7, "dag": 0.5, "answer": 0.9}
    metrics = ("ast", "dag", "answer", "route", "dtsr", "dispatch_recall")
    assert plan == TaskPlan(task.model_copy(update={"limits": Limits()}), floors, metrics)


@pytest.mark.parametrize(
    ("run", "deciding"),
    [
        (Overrides(), {"coverage": 0.9, "effects": 1.0}),
        (Overrides(scoring="paper"), {"coverage": 0.75}),
        (Overrides(scoring="paper", floors={"coverage": 0.5}), {"coverage": 0.5}),
    ],
    ids=["the suite decides", "the run decides", "a floor of the run"],
)
def test_the_scoring_picks_the_floors_that_decide_and_changes_neither_criterion(
    run: Overrides, deciding: dict[str, float]
) -> None:
    suite = a_suite(floors={"coverage": 0.75}, guards={"effects": 1.0})
    plan = plan_task(suite, a_task(guards={"coverage": 0.9}), run)
    assert plan.floors == deciding
    assert plan.criteria == {"paper": {"coverage": 0.75}, "guarded": {"coverage": 0.9, "effects": 1.0}}
    assert set(plan.metrics) == {"coverage", "effects"}


def test_one_message_has_no_verdict_by_the_paper() -> None:
    suite = a_suite(floors={"ast": 1.0}, guards={"effects": 1.0}, route=True)
    assert plan_task(suite, a_task(expected=Expected(answer="42")), Overrides()).criteria == {}


@pytest.mark.parametrize(("trials", "planned"), [(None, 3), (2, 2)])
def test_the_run_sets_the_number_of_trials(trials: int | None, planned: int) -> None:
    assert planned_trials(a_suite(trials=3), Overrides(trials=trials)) == planned
