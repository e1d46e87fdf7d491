"""The hash of a suite tells whether two runs were made on the same tasks, on whatever machine."""

from typing import Any

import pytest

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef, suite_hash
from tests.builders import a_task, expected_call


def a_suite(**fields: Any) -> SuiteManifest:
    server = ServerRef(name="notes", transport="stdio", command="/usr/bin/python", environment={"TOKEN": "one"})
    given = {"name": "s", "directory": "/here", "files": (TaskFileRef(path="a.yaml", loader="native"),)}
    return SuiteManifest(**{**given, "servers": {"notes": server}, **fields})


TASKS = [a_task(id="one"), a_task(id="two")]
ELSEWHERE = ServerRef(name="notes", transport="stdio", command="/opt/python", environment={"TOKEN": "two"})


@pytest.mark.parametrize(
    "suite",
    [
        pytest.param(a_suite(directory="/there"), id="directory"),
        pytest.param(a_suite(files=(TaskFileRef(path="b.yaml", loader="native"),)), id="files"),
        pytest.param(a_suite(servers={"notes": ELSEWHERE}), id="commands and secrets"),
        pytest.param(a_suite(exposure="all"), id="conditions of the run"),
    ],
)
def test_what_differs_between_machines_and_runs_is_not_in_it(suite: SuiteManifest) -> None:
    assert suite_hash(suite, TASKS) == suite_hash(a_suite(), TASKS)


def test_the_order_of_tasks_is_not_in_it() -> None:
    assert suite_hash(a_suite(), reversed(TASKS)) == suite_hash(a_suite(), TASKS)


@pytest.mark.parametrize(
    ("suite", "tasks"),
    [
        pytest.param(a_suite(floors={"ast": 0.5}), TASKS, id="floors"),
        pytest.param(a_suite(system="Be brief."), TASKS, id="prompt"),
        pytest.param(a_suite(servers={}), TASKS, id="servers"),
        pytest.param(a_suite(), TASKS[:1], id="tasks"),
        pytest.param(a_suite(), [a_task((expected_call("add"),), id="one"), TASKS[1]], id="a reference"),
    ],
)
def test_what_the_suite_asks_for_is_in_it(suite: SuiteManifest, tasks: list[Any]) -> None:
    assert suite_hash(suite, tasks) != suite_hash(a_suite(), TASKS)
