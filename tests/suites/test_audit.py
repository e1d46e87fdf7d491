"""Wrong attempts fail: a sample of each shipped suite's mutants, all of which ``mcpbench audit SUITE`` plays."""

from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.outcome import AuditReport, report_lines
from pytest_mcpbench.audit.runner import AuditSettings, audit
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.suite_files.discovery import find_suite
from pytest_mcpbench.suite_files.loading import load_suite

ROOT = Path(__file__).parents[2]
LEAST_SHARE = 0.98
TASKS, MUTANTS = 15, 12
"""Size of the sample: tasks of a suite and mutants of a task."""


async def _report(suite: str) -> AuditReport:
    loaded = load_suite(find_suite(suite, ROOT), {})
    tasks = draw_sample(loaded.tasks, TASKS, seed=0, key=suite)
    async with Models({}) as models, ServerPool(root=ROOT) as pool:
        judge = make_judge(loaded.manifest.judge or DEFAULT_JUDGE, models)
        return await audit(Player(loaded.manifest, pool, judge), tasks, AuditSettings(mutants_per_task=MUTANTS))


@pytest.mark.extra
@pytest.mark.parametrize("suite", ["radar", "toolbench", "atlas", "finmcp", "persona"])
def test_nearly_all_wrong_attempts_fail(suite: str) -> None:
    report = anyio.run(_report, suite)
    assert report.unplayable == ()
    assert (report.killed_share or 0) >= LEAST_SHARE, "\n".join(report_lines(report))
