"""Descriptions of attempts: everything about them that their records need, known before they start."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.runtime.attempt_records import AttemptDescription


def describe_item(item: pytest.Item, job: "Job", started_at: str) -> "AttemptDescription":
    """Return the description of the attempt of an item."""
    from pytest_mcpbench.plugin.execution.item_fixtures import item_fixtures

    is_own = job.test is None and item_fixtures(item).overriding is None
    facts = {**source_of(item), "is_decided_by_scores": is_own}
    return describe_attempt(item.nodeid, job, started_at).model_copy(update=facts)


def source_of(item: pytest.Item) -> dict[str, Any]:
    """Return file and line of the task or test, as records have them."""
    job = getattr(item, "job", None)
    line = item.location[1]
    file, number = (item.path, line + 1 if line is not None else 0)
    if job is not None:
        file, number = Path(job.loaded.place.file), job.loaded.place.line or 0
    return {"source": _below(item.config.rootpath, file), "line": number}


@functools.cache
def _below(root: Path, file: Path) -> str:
    """Return the path of a file relative to a directory, empty if it is outside of it."""
    absolute = root / file
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else ""


def describe_attempt(node_id: str, job: "Job", started_at: str) -> "AttemptDescription":
    """Return the description of an attempt at a job; ``node_id`` is the one that its record gets."""
    from pytest_mcpbench.core.planning import planned_metric_settings
    from pytest_mcpbench.plugin.collection.settings_hash import settings_hash
    from pytest_mcpbench.runtime.attempt_records import AttemptDescription

    return AttemptDescription(
        suite=job.suite.name,
        task_id=job.loaded.id,
        task_hash=job.task.hash if job.loaded.task else "",
        model=job.model,
        trial=job.trial,
        arm=job.arm,
        swept=dict(job.variant.values),
        settings_hash=settings_hash(job),
        node_id=node_id,
        test=job.test,
        started_at=started_at,
        is_routed=job.suite.route,
        floors=job.floors,
        metrics={name: dict(planned_metric_settings(job.suite, name)) for name in job.metric_names},
    )
