"""Jobs: one task, model and trial each, with everything about the suite that the attempt needs."""

import functools
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from pytest_mcpbench.core.arm import Arm
from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.model_identity import model_identity
from pytest_mcpbench.core.model_names import NO_USER, ORACLE, external_agent
from pytest_mcpbench.core.planning import (
    plan_attempt,
    planned_floors,
    planned_metrics,
    planned_trials,
    with_source_location,
)
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.variant import NO_SWEEP, Variant
from pytest_mcpbench.options.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Work of one item; equal to no other, so that what follows from it can be cached."""

    suite: SuiteManifest
    loaded: LoadedTask
    model: str
    """Name of the model in node ids and records: of a URL, the part that is no secret."""
    trial: int
    trials: int
    settings: Settings
    arm: str = ""
    """Arm of a comparison; empty in a run without arms."""
    test: str | None = None
    """Node id of the user's own test, without the task; ``None`` for an item of a task file."""
    variant: Variant = NO_SWEEP
    address: str = ""
    """Name of the model as the user wrote it."""

    @property
    def task(self) -> Task:
        """The task with the place that it was read from, and the limits that hold for it."""
        return _task_of(self)

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
    def floors(self) -> dict[str, float]:
        """The floors that hold for the task."""
        return _floors_of(self)

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics to compute; those with a floor come first."""
        return planned_metrics(self.suite, self.floors, self.settings.overrides)


# Many parts of an attempt ask, from its start to its report. Bounded, because pytest keeps all items to the end.
@functools.lru_cache(maxsize=64)
def _task_of(job: Job) -> Task:
    if job.loaded.task is None:
        raise job.loaded.error or AssertionError("a record without a task has an error")
    plan = plan_attempt(job.suite, job.loaded.task, job.settings.overrides)
    return with_source_location(plan.task, job.loaded.place)


@functools.lru_cache(maxsize=64)
def _floors_of(job: Job) -> dict[str, float]:
    return planned_floors(job.suite, job.loaded.task, job.settings.overrides)


def address_of(name: str, settings: Settings) -> str:
    """Return the name of a model as the user wrote it."""
    return next((model for model in settings.models if public_name(model) == name), name)


def marks_of(job: Job) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a job's item: a proposal is skipped, except by the agent that proves its reference."""
    task = job.loaded.task
    if task is None or not task.proposal or job.address == ORACLE:
        return ()
    return (pytest.mark.skip(reason=f"a proposal: {task.proposal}"),)


def job_of_item(item: pytest.Item) -> Job | None:
    """Return the job of a task's item or of a user's own test; ``None`` for a test without a task."""
    if hasattr(item, "job"):
        job: Job = item.job
        return job
    own: Job | None = item.callspec.params.get("mcp_job") if hasattr(item, "callspec") else None
    return own and job_of_test(item, own)


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
    for same in zip(*(records for _, _, records in variants), strict=True):
        for (variant, suite, _), loaded in zip(variants, same, strict=True):
            varied = replace(settings, **variant.settings)
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
                    yield Job(suite_of_arm, loaded, public_name(model), trial, count, settings, arm, address=model)


# Digest of the settings that can change an attempt, apart from the task itself.


def settings_hash(job: Job) -> str:
    """Return the digest; ``--mcpbench-resume`` reuses an attempt only if its digest is the same."""
    compared = {"servers", "tool_names", "categories", "shown_tools", *Conditions.model_fields}
    suite = job.suite.model_dump(mode="json", include=compared, fallback=repr)
    model = _identity(job)
    # Only if the name does not tell: of an alias, or at another address than usual.
    of_alias = [model] if model != job.address else []
    content = json.dumps([suite, job.settings.temperature, *of_alias, *_user(job)], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _identity(job: Job) -> str:
    name = external_agent(job.address, job.settings.aliases)
    if name is None:
        return model_identity(job.address, job.settings.aliases, os.environ)
    from pytest_mcpbench.agents.programs.factory import agent_identity

    return agent_identity(name, job.settings.agents)


def _user(job: Job) -> list[str]:
    """Return the model that plays the task's user; nothing for a task whose user no model can play."""
    task = job.loaded.task
    if task is None or task.user is None or not task.user.goal:
        return []
    name = job.settings.user or job.suite.user or NO_USER
    return [f"user: {model_identity(name, job.settings.aliases, os.environ)}"]
