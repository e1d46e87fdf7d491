"""The default runs of the shipped suites, as the README states them."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.core.selection import TaskSample
from tests.suites import shipped

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", shipped.NAMES)
def test_the_readme_states_the_size_of_a_suite_and_of_its_sample(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (\d+) .*? \| (\d+) \|", README, re.MULTILINE)
    assert row is not None
    tasks = shipped.tasks(name)
    assert [int(number) for number in row.groups()] == [len(tasks), len(_drawn(name))]


def _drawn(name: str) -> set[object]:
    sample = shipped.suite(name).sample
    assert isinstance(sample, TaskSample)
    return set(sample.draw(sample.sampled(name, task.id, task.tags) for task in shipped.tasks(name)))
