"""Samples of tasks (``--mcpbench-sample``, ``[sample]``): the same ones for every model, run and machine."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import Field

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.tag_selection import unknown_tag


class SampledTask(NamedTuple):
    """Task as far as a sample looks at it."""

    suite: str
    id: str
    group: str | None = None
    """Value of the sample's tag."""


class TaskSample(FrozenModel):
    """Number of tasks to run of each suite, or of each value of a tag."""

    size: int = Field(ge=1)
    tag: str | None = None

    @classmethod
    def parse(cls, text: str) -> "TaskSample":
        """Parse ``N`` or ``N/TAG``. Raises UsageError for anything else."""
        number, slash, tag = text.partition("/")
        if not number.strip().isdecimal() or int(number) < 1 or (slash and not tag.strip()):
            raise UsageError(f"a sample is N or N/TAG, for example 50 or 10/domain, not {text!r}")
        return cls(size=int(number), tag=tag.strip() or None)

    def sampled(self, suite: str, task_id: str, tags: Mapping[str, str]) -> SampledTask:
        """Return a task as the sample looks at it."""
        return SampledTask(suite, task_id, tags.get(self.tag or ""))

    def draw(self, tasks: Iterable[SampledTask]) -> set[SampledTask]:
        """Return the tasks of the sample: of each group those with the lowest hashes of their ids.

        The sample of a smaller size is part of that of a larger one, and a task that is added to a suite changes at
        most one task of a group. Tasks without the tag are a group of their own.
        """
        groups: dict[tuple[str, str | None], list[SampledTask]] = {}
        for task in tasks:
            groups.setdefault((task.suite, task.group), []).append(task)
        return {task for group in groups.values() for task in sorted(set(group), key=_order)[: self.size]}

    def find_problem(self, tags_of_tasks: Iterable[Mapping[str, str]]) -> str | None:
        """Return a sentence about a tag that no task has; ``None`` if there is no problem."""
        names = sorted(set[str]().union(*tags_of_tasks))
        if self.tag is None or self.tag in names:
            return None
        return unknown_tag(self.tag, names)

    def __str__(self) -> str:
        return f"{self.size}/{self.tag}" if self.tag else str(self.size)


def _order(task: SampledTask) -> tuple[bytes, str]:
    return hashlib.sha256(task.id.encode()).digest(), task.id
