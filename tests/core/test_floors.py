"""Which floors a task has."""

from typing import Any

import pytest

from pytest_mcpbench.core.score import floors_of, implied_floors
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Checkpoint, Expected, StateCheck, VerifyCheck
from tests.builders import a_task, expected_call

SUITE = SuiteManifest(name="s", directory="/s", files=(TaskFileRef(path="t.yaml", loader="native"),))
WITH_FLOORS = SUITE.model_copy(update={"floors": {"ast": 0.5, "dtsr": 0.9}})


def test_a_tasks_floors_are_put_over_those_of_its_suite() -> None:
    task = a_task((expected_call("a"),), floors={"ast": 1.0})
    assert floors_of(task, WITH_FLOORS) == {"ast": 1.0, "dtsr": 0.9}


def test_floors_follow_from_what_is_expected_only_where_nobody_gives_any() -> None:
    task = a_task((expected_call("a"),))
    assert floors_of(task, SUITE) == {"ast": 1.0}
    assert floors_of(task, WITH_FLOORS) == {"ast": 0.5, "dtsr": 0.9}


@pytest.mark.parametrize(
    ("expected", "floors"),
    [
        ({}, {}),
        ({"answer": ""}, {"answer": 1.0}),
        ({"claims": ("c",)}, {"coverage": 0.75}),
        ({"checkpoints": (Checkpoint(text="c"),)}, {"sr": 1.0}),
        ({"state": (StateCheck(created="events"),)}, {"state": 1.0}),
        ({"verify": (VerifyCheck(tool="get"),)}, {"verify": 1.0}),
        ({"forbidden_tools": "all"}, {"route": 1.0}),
    ],
)
def test_each_part_of_what_is_expected_has_its_metric(expected: dict[str, Any], floors: dict[str, float]) -> None:
    assert implied_floors(Expected(**expected)) == floors
