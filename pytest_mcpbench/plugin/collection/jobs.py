"""Jobs: one task, model and trial each, with everything about the suite that the attempt needs."""

import functools
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_mcpbench.core.arm import Arm
from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.model_identity import model_identity
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE, NO_USER, ORACLE, external_agent
from pytest_mcpbench.core.planning import (
    AttemptDescription,
    AttemptPlan,
    TaskPlan,
    plan_task,
    planned_floors,
    planned_metric_settings,
    planned_metrics,
    planned_trials,
    with_source_location,
)
from pytest_mcpbench.core.scoring import NO_CRITERIA, Criteria
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.variant import NO_SWEEP, Variant
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_fixtures import item_fixtures


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Work of one item; equal to no other, so that what follows from it can be cached."""

    suite: SuiteManifest
    loaded: LoadedTask
    model: str
    """Name of the model or agent as node ids and records show it, without secrets."""
    trial: int
    trials: int
    settings: Settings
    arm: str = ""
    """Arm of a comparison; empty in a run without arms."""
    test: str | None = None
    """Node id of the user's own test, without the task; ``None`` for an item of a task file."""
    variant: Variant = NO_SWEEP
    written_model: str = ""
    """Name as ``--model`` has it, by which agents and models are found; it may contain a password."""

    @property
    def task(self) -> Task:
        """The task with the place that it was read from, and the limits that hold for it."""
        return _plan_of(self).task

    @property
    def required_task(self) -> Task:
        """The task, for a test, of which a broken line of a task file is an error."""
        if self.loaded.error is not None:
            raise AttemptError(self.loaded.error)
        return self.task

    @property
    def label(self) -> str:
        """Text in brackets behind the task's id: arm and model, with the number of the trial if there are several."""
        model = self.model.replace("[", "(").replace("]", ")")
        parts = (self.arm, model, str(self.trial) if self.trials > 1 else "")
        return "-".join(filter(None, parts))

    @property
    def id(self) -> str:
        """Id of the job among the parameters of a user's own test."""
        return f"{self.loaded.id}-{self.label}"

    @property
    def floors(self) -> Mapping[str, float]:
        """The floors that decide."""
        return self.description.floors

    @property
    def criteria(self) -> Criteria:
        """The floors of the suite by criterion, whichever of them decides."""
        return self.description.criteria

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics to compute; those with a floor come first."""
        return tuple(self.description.metrics)

    @property
    def description(self) -> AttemptDescription:
        """What is stored of the attempt's plan; a broken line of a task file has one too."""
        return _description_of(self)

    @property
    def plan(self) -> AttemptPlan:
        """The plan of the attempt. Raises the error of a broken line of a task file."""
        return AttemptPlan(self.task, self.suite, self.description)

    @property
    def judge(self) -> str:
        """Name of the judge: that of the command line, else that of the suite, else the default."""
        return self.settings.judge or self.suite.judge or DEFAULT_JUDGE

    @property
    def user(self) -> str:
        """Name of the model that plays users: that of the command line, else that of the suite, else ``none``."""
        return self.settings.user or self.suite.user or NO_USER


# Many parts of an attempt ask, from its start to its report. Bounded, because pytest keeps all items to the end.
@functools.lru_cache(maxsize=256)
def _plan_of(job: Job) -> TaskPlan:
    """Return the plan of a job's task. Raises the error of a broken line of a task file."""
    if job.loaded.task is None:
        raise job.loaded.error or AssertionError("a line without a task has an error")
    return plan_task(job.suite, with_source_location(job.loaded.task, job.loaded.place), job.settings.overrides)


@functools.lru_cache(maxsize=256)
def _description_of(job: Job) -> AttemptDescription:
    suite, overrides = job.suite, job.settings.overrides
    if job.loaded.task is None:
        floors = planned_floors(suite, None, overrides)
        task_hash, criteria, metrics = "", NO_CRITERIA, planned_metrics(suite, floors, overrides)
    else:
        plan = _plan_of(job)
        task_hash, floors, criteria, metrics = plan.task.hash, dict(plan.floors), plan.criteria, plan.metrics
    return AttemptDescription(
        suite=suite.name,
        task_id=job.loaded.id,
        task_hash=task_hash,
        model=job.model,
        trial=job.trial,
        arm=job.arm,
        swept=dict(job.variant.values),
        settings_hash=settings_hash(job),
        test=job.test,
        is_routed=suite.route,
        floors=floors,
        criteria={scoring: dict(least) for scoring, least in criteria.items()},
        metrics={name: dict(planned_metric_settings(suite, name)) for name in metrics},
    )


def written_model(name: str, settings: Settings) -> str:
    """Return the name of a model as ``--model`` has it, for the name that records show."""
    return next((model for model in settings.models if public_name(model) == name), name)


def marks_of(job: Job) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a job's item: a proposal is skipped, except by the agent that proves its reference."""
    task = job.loaded.task
    if task is None or not task.proposal or job.written_model == ORACLE:
        return ()
    return (pytest.mark.skip(reason=f"a proposal: {task.proposal}"),)


def job_of_item(item: pytest.Item) -> Job | None:
    """Return the job of a task's item or of a user's own test; ``None`` for a test without a task."""
    if hasattr(item, "job"):
        job: Job = item.job
        return job
    own: Job | None = item.callspec.params.get("mcp_job") if hasattr(item, "callspec") else None
    return own and job_of_test(item, own)


def job_of_attempt(item: pytest.Item) -> Job | None:
    """Return the job of an item that uses the evidence of its attempt."""
    return job_of_item(item) if "mcp_run" in getattr(item, "fixturenames", ()) else None


def job_of_test(item: pytest.Item, job: Job) -> Job:
    """Return the job with the node id of the user's own test that it parametrizes."""
    if not hasattr(item, "callspec"):
        return replace(job, test=item.nodeid)
    function = item.nodeid.removesuffix(f"[{item.callspec.id}]")
    others = _without(item.callspec.id, job.id)
    return replace(job, test=f"{function}[{others}]" if others else function)


def _without(parameters: str, one: str) -> str:
    """Return the parameters in a node id without one of them; pytest escapes characters that are not ASCII."""
    for text in (one, one.encode("unicode_escape").decode("ascii")):
        before, found, after = f"-{parameters}-".partition(f"-{text}-")
        if found:
            return "-".join(filter(None, (before[1:], after[:-1])))
    return parameters


def jobs_of_variants(
    variants: Sequence[tuple[Variant, SuiteManifest, Sequence[LoadedTask]]],
    settings: Settings,
    *,
    models: tuple[str, ...] = (),
    trials: int | None = None,
) -> Iterator[Job]:
    """Yield the jobs of a sweep: for each record those of every variant, one after the other."""
    settings_of = [settings.replace(**variant.settings) for variant, _, _ in variants]
    for same in zip(*(records for _, _, records in variants), strict=True):
        for (variant, suite, _), varied, loaded in zip(variants, settings_of, same, strict=True):
            for job in jobs_of_records(suite, [loaded], varied, models=models, trials=trials):
                yield replace(job, model=variant.label(job.model), variant=variant)


def jobs_of_records(  # noqa: PLR0913 (dimensions of the parametrization)
    suite: SuiteManifest,
    records: list[LoadedTask],
    settings: Settings,
    *,
    models: tuple[str, ...] = (),
    trials: int | None = None,
    arms: Sequence[Arm] = (),
) -> Iterator[Job]:
    """Yield a job for each record, model, trial and arm, in this order.

    The arms alternate, so that a provider that gets slower or worse in the course of a run does so for all of them.
    """
    count = trials or planned_trials(suite, settings.overrides)
    suites = {arm.name: arm.suite(suite) for arm in arms} or {"": suite}
    for loaded in records:
        for model in models or settings.models:
            for trial in range(1, count + 1):
                for arm, suite_of_arm in suites.items():
                    yield Job(
                        suite_of_arm, loaded, public_name(model), trial, count, settings, arm, written_model=model
                    )


# What the records of an attempt need to know of its item.


def describe_item(item: pytest.Item, job: Job, started_at: str) -> AttemptDescription:
    """Return the description of the attempt of an item."""
    is_own = job.test is None and item_fixtures(item).overriding is None
    line = item.location[1]
    file, number = str(item.path), line + 1 if line is not None else 0
    # An item of a task file has the place of its task; the test of a user, its own.
    own_job = getattr(item, "job", None)
    if own_job is not None:
        file, number = own_job.loaded.place.file, own_job.loaded.place.line or 0
    facts = {
        "node_id": item.nodeid,
        "started_at": started_at,
        "is_decided_by_scores": is_own,
        "source": _below(item.config.rootpath, file),
        "line": number,
    }
    return job.description.model_copy(update=facts)


@functools.cache
def _below(root: Path, file: str) -> str:
    """Return the path of a file relative to a directory, empty if it is outside of it."""
    absolute = root / file
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else ""


# Digest of the settings that can change an attempt, apart from the task itself.


def settings_hash(job: Job) -> str:
    """Return the digest; ``--mcpbench-resume`` reuses an attempt only if its digest is the same."""
    task = job.loaded.task
    # A model plays the user only of a task whose user has a goal.
    user = job.user if task is not None and task.user is not None and task.user.goal else None
    key = id(job.suite), id(job.settings), job.written_model, user
    if key in _HASHES:
        return _HASHES[key][2]
    compared = {"servers", "tool_names", "categories", "shown_tools", "shown_instructions", *Conditions.model_fields}
    suite = job.suite.model_dump(mode="json", include=compared, fallback=repr)
    agent = external_agent(job.written_model, job.settings.aliases)
    if agent is None:
        model = model_identity(job.written_model, job.settings.aliases, os.environ)
    else:
        # Here, because it brings mcp and the web server of the proxies: 0.7 s of processor time.
        from pytest_mcpbench.agents.programs.factory import agent_identity

        model = agent_identity(agent, job.settings.agents)
    # The name is compared already. The identity says more for an alias, or at another address than the provider's.
    of_alias = [model] if model != job.written_model else []
    of_user = [f"user: {model_identity(user, job.settings.aliases, os.environ)}"] if user is not None else []
    content = json.dumps([suite, job.settings.temperature, *of_alias, *of_user], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    # The values are kept with the digest, so that their ids are not used again.
    _HASHES[key] = job.suite, job.settings, digest
    return digest


_HASHES: dict[tuple[int, int, str, str | None], tuple[SuiteManifest, Settings, str]] = {}
"""Digests by what they depend on: a suite has many tasks, and to write it as JSON takes as long as a small attempt."""
