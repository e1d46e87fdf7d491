"""The small local model on twenty tasks of the shipped suites: real calls, real verdicts."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.models.local.weights import QWEN
from pytest_mcpbench.runs.records import read_report
from tests.local_engine import needs_engine

WEIGHTS = QWEN.path
"""Read before pytester changes the home directory."""
FINANCE = tuple(f"finance-{number:03}" for number in range(1, 18))
"""Tasks of the category with the fewest tools, in which no call needs the result of another."""
SEARCH = 3
"""Number of tasks of the radar suite: its domain with the fewest tools."""


@needs_engine
@pytest.mark.local_model
@pytest.mark.extra
def test_twenty_tasks_are_attempted_called_and_scored_without_an_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not WEIGHTS.exists():
        pytest.skip(f"the weights are missing at {WEIGHTS}: run `mcpbench fetch local`")
    monkeypatch.setenv("MCPBENCH_CACHE", str(WEIGHTS.parent.parent))
    selected = " or ".join((*FINANCE, *(f"websearch-{number:03}" for number in range(1, SEARCH + 1))))
    pytester.runpytest_subprocess(
        *("--suite=toolbench:full", "--suite=radar:full", "--model=local", "--model=noop"),
        # One round is a call and its result: the speed of CI's processors leaves no time for more.
        *("--mcpbench-rounds=1", "-k", selected),
    )
    (directory,) = (pytester.path / ".mcpbench" / "runs").glob("2*")
    entries = read_report(directory).entries
    own = [entry for entry in entries if entry.model == "local"]
    assert len(own) == len(FINANCE) + SEARCH == 20
    assert {entry.outcome for entry in own} <= {"passed", "failed"}
    assert sum(entry.tool_calls for entry in own) > len(FINANCE) / 2
    assert sum(entry.outcome == "passed" for entry in own) > sum(
        entry.outcome == "passed" for entry in entries if entry.model == "noop"
    )
    facts = json.loads((Path(directory) / "run.json").read_text())
    assert facts["local_models"]["local"]["sha256"] == QWEN.sha256
    assert facts["speeds"]["local"]["written_tokens"] > 0
