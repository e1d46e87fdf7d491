"""Items that are finished keep neither their evidence nor all of their entries."""

import pytest

COUNTING = """
import gc
import pytest
from pytest_mcpbench.core.evidence import AttemptEvidence

def pytest_sessionfinish():
    gc.collect()
    alive = [each.task_id for each in gc.get_objects() if isinstance(each, AttemptEvidence)]
    print(f"evidence that is kept: {len(alive)}")
    reports = [each for each in gc.get_objects() if type(each) is pytest.TestReport]
    entries = [report.mcpbench for report in reports if hasattr(report, "mcpbench")]
    print(f"fields in {len(entries)} reports: {sorted({name for each in entries for name in each})}")
"""


@pytest.mark.long
def test_neither_evidence_nor_a_whole_entry_is_kept_when_an_item_is_finished(project: pytest.Pytester) -> None:
    project.makeconftest(COUNTING)

    result = project.runpytest_subprocess("--model=oracle", "--model=noop", "-s")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*evidence that is kept: 0", "fields in 4 reports: ['outcome']"])
