"""Samples are the same everywhere, nested, and spread over the values of a tag."""

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.selection import SampledTask, TaskSample

TASKS = [SampledTask("radar", f"task-{number}") for number in range(100)]


def test_a_smaller_sample_is_part_of_a_larger_one_whatever_the_order() -> None:
    drawn = [TaskSample(size=size).draw(TASKS) for size in (1, 7, 50, 200)]
    assert [len(tasks) for tasks in drawn] == [1, 7, 50, 100]
    assert drawn[0] < drawn[1] < drawn[2] < drawn[3]
    assert TaskSample(size=7).draw(reversed(TASKS)) == drawn[1]


def test_a_further_task_replaces_at_most_one() -> None:
    before, after = TaskSample(size=7).draw(TASKS), TaskSample(size=7).draw([*TASKS, SampledTask("radar", "new")])
    assert len(before - after) <= 1


def test_each_value_of_a_tag_and_each_suite_has_its_own_sample() -> None:
    graded = [task._replace(group="hard" if number % 5 else "easy") for number, task in enumerate(TASKS)]
    two = [*graded, *(task._replace(suite="atlas") for task in graded)]
    drawn = TaskSample(size=3, tag="level").draw(two)
    counts = {(task.suite, task.group) for task in drawn}
    assert (len(drawn), len(counts)) == (12, 4)


@pytest.mark.parametrize("text", ["", "0", "-1", "ten", "10/", "1.5", "10%"])
def test_what_is_no_sample_says_what_one_is(text: str) -> None:
    with pytest.raises(UsageError, match="a sample is N or N/TAG"):
        TaskSample.parse(text)


def test_an_unknown_tag_names_the_nearest() -> None:
    sample = TaskSample.parse("10/domian")
    assert sample.find_problem([{"domain": "email"}]) == "no task has the tag 'domian'. Did you mean 'domain'?"
    assert TaskSample.parse("10/domain").find_problem([{"domain": "email"}]) is None
