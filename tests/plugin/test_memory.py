"""What is kept of items that are finished."""

import pytest

COUNTING = """
import gc
from pytest_mcpbench.core.evidence import AttemptEvidence

def pytest_sessionfinish():
    gc.collect()
    alive = [each.task_id for each in gc.get_objects() if isinstance(each, AttemptEvidence)]
    print(f"evidence that is kept: {len(alive)}")
"""


def test_no_evidence_is_kept_when_its_item_is_finished(project: pytest.Pytester) -> None:
    project.makeconftest(COUNTING)

    result = project.runpytest_subprocess("--model=oracle", "--model=noop", "-s")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*evidence that is kept: 0"])
