"""What is kept of items that are finished."""

import pytest

COUNTING = """
import gc
from pytest_mcpbench.core.evidence import Run

def pytest_sessionfinish():
    gc.collect()
    alive = [run.task_id for run in gc.get_objects() if isinstance(run, Run)]
    print(f"runs that are kept: {len(alive)}")
"""


def test_no_run_is_kept_when_its_item_is_finished(project: pytest.Pytester) -> None:
    project.makeconftest(COUNTING)

    result = project.runpytest_subprocess("--model=oracle", "--model=noop", "-s")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*runs that are kept: 0"])
