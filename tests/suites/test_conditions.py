"""What the conditions of experiments leave solvable in a suite that ships."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.runs.records import read_records

pytestmark = pytest.mark.extra

SKILL = "---\nname: caution\n---\nLook before you act.\n"


@pytest.fixture
def atlas(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    (pytester.path / "skill.md").write_text(SKILL)
    return pytester


def by_oracle(atlas: pytest.Pytester, *options: str) -> list[RunRecord]:
    """The records of a run of the oracle."""
    out = Path(atlas.path / "out")
    atlas.runpytest_inprocess("--suite=atlas", "--model=oracle", f"--mcpbench-out={out}", *options)
    return [record for _, record in read_records(out)]


HARMLESS = {
    "all tools, another prompt, skills, context and hints": [
        "--mcpbench-exposure=all",
        "--mcpbench-prompt=none",
        "--mcpbench-skill=skill.md",
        "--mcpbench-context-distractors=5",
        "--mcpbench-hint=tools",
    ],
    "needed tools among distractors": ["--mcpbench-exposure=needed", "--mcpbench-distractors=10"],
}


@pytest.mark.long
@pytest.mark.parametrize("options", HARMLESS.values(), ids=HARMLESS.keys())
def test_the_oracle_passes_where_its_tools_are_exposed(atlas: pytest.Pytester, options: list[str]) -> None:
    records = by_oracle(atlas, *options)
    assert len(records) >= 40
    assert {record.outcome for record in records} == {"passed"}


@pytest.mark.long
def test_under_a_dispatcher_the_oracle_passes_what_every_needed_tool_was_picked_for(atlas: pytest.Pytester) -> None:
    records = by_oracle(atlas, "--mcpbench-exposure=all", "--mcpbench-dispatcher=bm25", "--mcpbench-top-k=90")
    solvable = {record.task_id for record in records if record.scorecard["dispatch_recall"] == 1.0}
    assert 0 < len(solvable) < len(records)
    assert {record.task_id for record in records if record.outcome == "passed"} == solvable
