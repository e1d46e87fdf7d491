"""Selection of the tasks that a run takes: samples, shards and tags."""

import hashlib
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pydantic import Field

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.text.suggestions import did_you_mean

Element = TypeVar("Element")


def draw_sample(pool: Iterable[Element], number: int, *, seed: int, key: str) -> tuple[Element, ...]:
    """Draw ``number`` elements of the pool, or all of them if there are fewer.

    Seed and key (a task's id) decide which. What is drawn for a smaller number is among what is drawn for a larger one,
    so that runs with 0, 5 and 10 distractors differ in nothing but the further ones.
    """
    order = list(pool)
    random.Random(f"{seed}/{key}").shuffle(order)
    return tuple(order[:number])


# Selection of tasks by their tags (``--mcpbench-tag``).

Tags = Mapping[str, str]


@dataclass(frozen=True)
class TagSelection:
    """Conditions that the tags of a task must all meet.

    A condition lists alternatives: the name of a tag, its value, or both as ``name=value``. They are compared exactly.
    """

    conditions: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "TagSelection":
        """Parse texts such as ``category=email,calendar``; the name counts for all values behind it."""
        groups = []
        for text in texts:
            name, equals, values = text.partition("=")
            if equals:
                alternatives = [f"{name.strip()}={value.strip()}" for value in values.split(",")]
            else:
                alternatives = [each.strip() for each in text.split(",") if each.strip()]
            groups.append(tuple(alternatives))
        return cls(tuple(groups))

    def selects(self, tags: Tags) -> bool:
        """Return whether the tags meet every condition."""
        names = _names(tags)
        return all(not names.isdisjoint(condition) for condition in self.conditions)

    def find_problem(self, tags_of_tasks: Iterable[Tags]) -> str | None:
        """Return a sentence about the first alternative that no task has; ``None`` if each is known."""
        all_tags = list(tags_of_tasks)
        known = set[str]().union(*map(_names, all_tags))
        unknown = (wanted for condition in self.conditions for wanted in condition if wanted not in known)
        wanted = next(unknown, None)
        if wanted is None:
            return None
        return unknown_tag(wanted, sorted({name for tags in all_tags for name in tags}), suggested=sorted(known))


def unknown_tag(wanted: str, names: Sequence[str], *, suggested: Sequence[str] | None = None) -> str:
    """Return a sentence about a tag that no task has; ``names`` are listed where no suggestion is near.

    ``suggested`` are the texts to suggest, by default the names.
    """
    listing = f"There are: {', '.join(names)}." if names else "The tasks of this run have no tags."
    return f"no task has the tag {wanted!r}. {did_you_mean(wanted, suggested or names) or listing}"


def _names(tags: Tags) -> set[str]:
    """Return the names, values and ``name=value`` pairs by which the tags can be selected."""
    return {*tags, *tags.values(), *(f"{name}={value}" for name, value in tags.items())}


# Samples of tasks (``--mcpbench-sample``, ``[sample]``): the same ones for every model, run and machine.


class SampledTask(NamedTuple):
    """Parts of a task by which a sample is drawn."""

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
        """Return the parts of a task by which the sample is drawn."""
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


class Split(TaskSample):
    """Tasks that a suite names (``NAME:hard``), in place of its sample."""

    name: str
    ids: frozenset[str]

    def draw(self, tasks: Iterable[SampledTask]) -> set[SampledTask]:
        """Return the tasks of the split."""
        return {task for task in tasks if task.id in self.ids}

    def __str__(self) -> str:
        return self.name


def _order(task: SampledTask) -> tuple[bytes, str]:
    return hashlib.sha256(task.id.encode()).digest(), task.id


# Shards: parts of a suite, divided by the hash of the task's id, for several machines.

_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Shard:
    """The ``index``-th of ``count`` parts, from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse ``i/n``; raise a usage error that states the format."""
        first, slash, second = text.partition("/")
        if not (slash and _NUMBER.fullmatch(first.strip()) and _NUMBER.fullmatch(second.strip())):
            raise UsageError(f"a shard is i/n, for example 1/4, not {text!r}")
        index, count = int(first), int(second)
        if not 1 <= index <= count:
            raise UsageError(f"a shard is i/n with i from 1 to n, not {text!r}")
        return cls(index, count)

    def has(self, task_id: str) -> bool:
        """Return whether the task is in this part, which depends neither on the machine nor on other tasks."""
        digest = hashlib.sha256(task_id.encode()).digest()
        return int.from_bytes(digest[:8]) % self.count == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
