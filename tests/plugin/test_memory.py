"""What is kept of items that are finished."""

import pytest

COUNTING = """
import gc
from pytest_mcpbench.core.run import Run

def pytest_sessionfinish():
    gc.collect()
    alive = [run.task_id for run in gc.get_objects() if isinstance(run, Run)]
    print(f"runs that are kept: {len(alive)}")
"""


@pytest.mark.parametrize("model", ["oracle", "noop"])
def test_no_run_is_kept_when_its_item_is_finished(project: pytest.Pytester, model: str) -> None:
    project.makeconftest(COUNTING)

    result = project.runpytest_subprocess(f"--model={model}", "-s")

    result.stdout.fnmatch_lines(["*runs that are kept: 0"])
