"""The plan of an attempt: everything that determines it, by one order of precedence.

A value of the command line counts over that of the task, and that of the task over that of the suite. The plugin plans
the attempts that it makes and ``mcpbench rescore`` plans those of a finished run again, both with :func:`plan_task`; a
record that is not a task has the floors and metrics of its run only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.record import AttemptIdentity
from pytest_mcpbench.core.score import criteria_of, floors_of
from pytest_mcpbench.core.scoring import NO_CRITERIA, Criteria, Scoring
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Limits, Task

# Route mode: one model call for each task, of which the calls are scored and not executed.

FIRST_CALLS = "first_calls"
"""Metric of tools and arguments of the first message."""
ROUTE = "route"
"""Metric of the tools alone."""
_WITH_ARGUMENTS = frozenset({"ast", "ast_calls", "bfcl", FIRST_CALLS})
NOT_ROUTABLE = "route mode: the task says nothing about the calls of the first message"


def first_groups(task: Task) -> tuple[CallGroup, ...]:
    """Return the reference calls of the first user message."""
    return tuple(group for group in task.expected.calls if group.turn == 0 and group.calls)


def first_message_task(task: Task) -> Task:
    """Return the task that the agent works on: the first user message, and the calls that answer it at once."""
    expected = task.expected.model_copy(update={"calls": first_groups(task)[:1]})
    return task.model_copy(update={"turns": task.turns[:1], "user": None, "expected": expected})


def route_floors(task: Task, floors: Mapping[str, float]) -> dict[str, float]:
    """Return the floors that the first message can reach or miss; none if the task says nothing about it.

    Tools and arguments must be right, or the tools alone if that is all that the task's own floors ask for.
    """
    if first_groups(task):
        asks_for_tools_only = ROUTE in floors and _WITH_ARGUMENTS.isdisjoint(floors)
        return {ROUTE if asks_for_tools_only else FIRST_CALLS: 1.0}
    return {ROUTE: 1.0} if task.expected.forbidden_tools else {}


LIMIT_SETTINGS = ("rounds", "tool_calls", "seconds")
"""Limits that a run can set."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """Values of a run that count over those of suites and tasks."""

    limits: Mapping[str, Any] = field(default_factory=dict)
    """By field of :class:`~pytest_mcpbench.core.task.Limits`."""
    floors: Mapping[str, float] = field(default_factory=dict)
    scoring: Scoring | None = None
    metrics: tuple[str, ...] = ()
    """Metrics to compute in addition to those of the suite."""
    trials: int | None = None


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """Everything that the definition of a task leaves to its suite and to the run."""

    task: Task
    """The task with the limits that hold for it."""
    floors: Mapping[str, float]
    metrics: tuple[str, ...]
    """The metrics to compute; those with a floor come first."""
    criteria: Criteria = field(default_factory=dict)
    """Floors of the suite by criterion; they do not depend on the run."""


def plan_task(suite: SuiteManifest, task: Task, overrides: Overrides) -> TaskPlan:
    """Return the plan of attempts at a task of a suite."""
    floors, criteria = planned_floors(suite, task, overrides), planned_criteria(suite, task)
    limits = planned_limits(suite, task, overrides)
    metrics = planned_metrics(suite, floors, overrides, criteria)
    return TaskPlan(task.model_copy(update={"limits": limits}), floors, metrics, criteria)


class AttemptDescription(AttemptIdentity):
    """Everything about an attempt that is known before it starts, except its task: the part of its plan that is stored.

    A field of this class that :class:`~pytest_mcpbench.core.record.RunRecord` has too is copied to the record.
    """

    task_hash: str
    settings_hash: str = ""
    started_at: str = ""
    is_routed: bool = False
    floors: dict[str, float] = Field(default_factory=dict)
    criteria: dict[Scoring, dict[str, float]] = Field(default_factory=dict)
    metrics: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of the metrics to compute, by name."""
    is_decided_by_scores: bool = True
    """``False`` if a test or a fixture of the user takes part in the verdict."""

    def with_next_trial(self) -> "AttemptDescription":
        """Return the description of a journal of version 1, which counts trials from 0, with its trial from 1."""
        return self.model_copy(update={"trial": self.trial + 1})


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """Everything that determines an attempt.

    Its description is stored with the evidence and compared when a run is resumed; task, suite and description are what
    another process receives that runs the attempt.
    """

    task: Task
    """The task with its limits and the place that it was read from."""
    suite: SuiteManifest
    """The suite under the conditions of the run, with the servers of the attempt."""
    description: AttemptDescription

    @classmethod
    def of_task(cls, plan: TaskPlan, suite: SuiteManifest, *, model: str, trial: int = 1) -> "AttemptPlan":
        """Return the plan of an attempt outside of a run."""
        task = plan.task
        description = AttemptDescription(
            suite=suite.name, task_id=task.id, task_hash=task.hash, model=model, trial=trial, is_routed=suite.route
        )
        return cls(task, suite, description)

    @property
    def has_user(self) -> bool:
        """Return whether somebody answers the agent: route mode ends with the agent's first message."""
        return self.task.user is not None and not self.is_routed

    @property
    def is_routed(self) -> bool:
        """Return whether only the first message is asked for, whose calls are not executed (route mode)."""
        return self.description.is_routed


def planned_limits(suite: SuiteManifest, task: Task | None, overrides: Overrides) -> Limits:
    """Return the limits of a task, filled up with those of the suite; without a task, those of the suite."""
    own = task.limits.model_dump(exclude_unset=True) if task and task.limits else {}
    of_mode = {"rounds": 1} if suite.route else {}
    return suite.limits.model_copy(update={**own, **overrides.limits, **of_mode})


def planned_floors(suite: SuiteManifest, task: Task | None, overrides: Overrides) -> dict[str, float]:
    """Return the floors of a task; of a record that is not a task, those of the run only."""
    of_task = floors_of(task, suite) if task else {}
    deciding = planned_criteria(suite, task).get(overrides.scoring or suite.scoring, of_task)
    floors = {**deciding, **overrides.floors}
    if not suite.route or task is None:
        return floors
    of_route = route_floors(task, floors)
    return of_route | {name: least for name, least in overrides.floors.items() if name in of_route}


def planned_criteria(suite: SuiteManifest, task: Task | None) -> Criteria:
    """Return the floors of each criterion; none for a broken record, or for one message, which no paper's is about."""
    return criteria_of(task, suite) if task and not suite.route else NO_CRITERIA


def planned_metrics(
    suite: SuiteManifest, floors: Mapping[str, float], overrides: Overrides, criteria: Criteria = NO_CRITERIA
) -> tuple[str, ...]:
    """Return the names of the metrics to compute for a task with these floors."""
    of_conditions = () if suite.dispatcher == NO_DISPATCHER else ("dispatch_recall",)
    if suite.presentation == "search":
        of_conditions = (*of_conditions, "tool_search")
    # The metrics of a suite are about complete attempts, which route mode does not make.
    of_suite = () if suite.route else suite.metrics
    of_criteria = (name for least in criteria.values() for name in least)
    return tuple(dict.fromkeys((*floors, *of_criteria, *of_suite, *overrides.metrics, *of_conditions)))


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
