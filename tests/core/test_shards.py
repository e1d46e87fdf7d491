"""Shards share the tasks of a suite: each task is in one, whatever the others are."""

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.selection import Shard

TASKS = [f"task-{number}" for number in range(400)]


def test_every_task_is_in_exactly_one_shard() -> None:
    shards = [Shard(index, 4) for index in range(1, 5)]
    assert [sum(shard.has(task) for shard in shards) for task in TASKS] == [1] * len(TASKS)


def test_shards_are_about_equally_large() -> None:
    sizes = [sum(Shard(index, 4).has(task) for task in TASKS) for index in range(1, 5)]
    assert min(sizes) > 70


def test_a_task_stays_in_its_shard_on_every_machine() -> None:
    assert [task for task in TASKS[:12] if Shard(1, 3).has(task)] == ["task-3", "task-6", "task-7"]


def test_one_shard_of_one_has_everything() -> None:
    assert all(Shard(1, 1).has(task) for task in TASKS)


def test_a_shard_is_written_as_it_is_read() -> None:
    assert str(Shard.parse(" 2/4 ")) == "2/4"


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/", "/4", "a/b", "-1/4", "1/0", "1/2/3", "1.5/4", ""])
def test_anything_else_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="a shard is i/n"):
        Shard.parse(text)
