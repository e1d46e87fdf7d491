"""Wrong attempts fail and right ones pass: a sample of those that ``mcpbench audit SUITE [--right]`` plays."""

import functools
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
MOST_MISJUDGED = 0.02
"""Largest share of wrong attempts that pass, and of right ones that fail."""
TASKS, MUTANTS = 8, 5
"""Size of the sample: tasks of a suite and mutants of a task."""


async def _report(suite: str, *, is_right: bool) -> AuditReport:
    loaded = load_suite(find_suite(suite, ROOT), {})
    tasks = draw_sample(loaded.tasks, TASKS, seed=0, key=suite)
    async with Models({}) as models, ServerPool(root=ROOT) as pool:
        judge = make_judge(loaded.manifest.judge or DEFAULT_JUDGE, models)
        settings = AuditSettings(mutants_per_task=MUTANTS, is_right=is_right)
        return await audit(Player(loaded.manifest, pool, judge), tasks, settings)


@pytest.mark.long
@pytest.mark.parametrize("suite", ["radar", "toolbench", "atlas", "finmcp", "persona"])
@pytest.mark.parametrize("is_right", [False, True], ids=["wrong", "right"])
def test_hardly_an_attempt_is_misjudged(suite: str, is_right: bool) -> None:
    report = anyio.run(functools.partial(_report, suite, is_right=is_right))
    assert report.unplayable == ()
    assert len(report.misjudged) <= MOST_MISJUDGED * report.whole, "\n".join(report_lines(report))
