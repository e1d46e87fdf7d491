"""The default runs of the shipped suites, as the README states them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_mcpbench.core.selection import TaskSample
from pytest_mcpbench.runs.records import read_records
from tests.suites import shipped

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DATASHEETS = (ROOT / "docs" / "reference" / "suites.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", shipped.NAMES)
def test_the_readme_states_the_size_of_a_suite_and_of_its_sample(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (\d+) .*? \| (\d+) \|", README, re.MULTILINE)
    assert row is not None
    tasks = shipped.tasks(name)
    assert [int(number) for number in row.groups()] == [len(tasks), len(_drawn(name))]


@pytest.mark.parametrize("name", ["adversarial", "atlas-real", *shipped.NAMES])
def test_the_datasheet_of_a_suite_states_its_size_and_what_lexical_passes(name: str) -> None:
    cells = _cells(name)
    assert cells["tasks (sample)"] == f"{len(shipped.tasks(name))} ({len(_drawn(name))})"
    assert cells["passed without a model (`lexical`)"] == f"{shipped.suite(name).pass_rates['lexical'] * 100:.0f} %"


@pytest.mark.parametrize("name", shipped.NAMES)
@pytest.mark.parametrize(
    ("title", "model"),
    [("passed by a small local model [1]", "local"), ("passed by `lexical` on the same tasks [1]", "lexical")],
)
def test_the_datasheet_of_a_suite_states_what_the_recorded_attempts_passed(name: str, title: str, model: str) -> None:
    records = (record for _, record in read_records(ROOT / "benchmarks" / "results" / "local_model"))
    outcomes = Counter(str(each.outcome) for each in records if (each.suite, each.model) == (name, model))
    unscored = f", {outcomes['unscored']} unscored" if outcomes["unscored"] else ""
    assert _cells(name)[title] == f"{outcomes['passed']} of {outcomes['passed'] + outcomes['failed']}{unscored}"


def _cells(name: str) -> dict[str, str]:
    """Return the column of a suite in the table of datasheets, the first of the page."""
    table = DATASHEETS[DATASHEETS.index("\n| |") + 1 :].partition("\n\n")[0]
    head, _, *rows = [[cell.strip(" `") for cell in row.split("|")] for row in table.splitlines()]
    return {row[1]: row[head.index(name)] for row in rows}


def _drawn(name: str) -> set[object]:
    sample = shipped.suite(name).sample
    if sample is None:
        return {task.id for task in shipped.tasks(name)}
    assert isinstance(sample, TaskSample)
    return set(sample.draw(sample.sampled(name, task.id, task.tags) for task in shipped.tasks(name)))
