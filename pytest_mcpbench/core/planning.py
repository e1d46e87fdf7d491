"""The plan of an attempt: its task, limits, floors and metrics, by one order of precedence.

A value of the command line counts over that of the task, and that of the task over that of the suite. The plugin plans
the attempts that it makes and ``mcpbench rescore`` plans those of a finished run again, both with :func:`plan_attempt`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.routing import FIRST_CALLS, route_floors
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Limits, Task

LIMIT_SETTINGS = ("rounds", "tool_calls", "seconds")
"""Limits that a run can set."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """Values of a run that count over those of suites and tasks."""

    limits: Mapping[str, Any] = field(default_factory=dict)
    """By field of :class:`~pytest_mcpbench.core.task.Limits`."""
    floors: Mapping[str, float] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    """Metrics to compute in addition to those of the suite."""
    trials: int | None = None


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """Everything that the definition of a task leaves to its suite and to the run."""

    task: Task
    """The task with the limits that hold for it."""
    floors: Mapping[str, float]
    metrics: tuple[str, ...]
    """The metrics to compute; those with a floor come first."""


def plan_attempt(suite: SuiteManifest, task: Task, overrides: Overrides) -> AttemptPlan:
    """Return the plan of an attempt at a task of a suite."""
    floors = planned_floors(suite, task, overrides)
    limits = planned_limits(suite, task, overrides)
    return AttemptPlan(task.model_copy(update={"limits": limits}), floors, planned_metrics(suite, floors, overrides))


def planned_limits(suite: SuiteManifest, task: Task | None, overrides: Overrides) -> Limits:
    """Return the limits of a task, where the suite's hold that the task does not set; without a task the suite's."""
    own = task.limits.model_dump(exclude_unset=True) if task and task.limits else {}
    of_mode = {"rounds": 1} if suite.route else {}
    return suite.limits.model_copy(update={**own, **overrides.limits, **of_mode})


def planned_floors(suite: SuiteManifest, task: Task | None, overrides: Overrides) -> dict[str, float]:
    """Return the floors of a task; of a record that is not a task, those of the run only."""
    floors = {**(floors_of(task, suite) if task else {}), **overrides.floors}
    return route_floors(task, floors) if suite.route and task else floors


def planned_metrics(suite: SuiteManifest, floors: Mapping[str, float], overrides: Overrides) -> tuple[str, ...]:
    """Return the names of the metrics to compute for a task with these floors."""
    of_conditions = () if suite.dispatcher == NO_DISPATCHER else ("dispatch_recall",)
    # The metrics of a suite are about complete attempts, which route mode does not make.
    of_suite = () if suite.route else suite.metrics
    return tuple(dict.fromkeys((*floors, *of_suite, *overrides.metrics, *of_conditions)))


def planned_metric_settings(suite: SuiteManifest, metric: str) -> Mapping[str, Any]:
    """Return the suite's settings of a metric; the metric of route mode has those of ``ast`` unless it has its own."""
    own = suite.metric_settings.get(metric)
    return suite.metric_settings.get("ast", {}) if own is None and metric == FIRST_CALLS else own or {}


def planned_trials(suite: SuiteManifest, overrides: Overrides) -> int:
    """Return the number of attempts at each task."""
    return overrides.trials or suite.trials


def with_source_location(task: Task, place: SourceLocation) -> Task:
    """Return the task with the place that it was read from."""
    source = task.source.model_copy(update={"file": place.file, "place": str(place)})
    return task.model_copy(update={"source": source})
