"""References are played on the real servers, and a play that fails says why."""

from pathlib import Path

import pytest

from pytest_mcpbench.generation.review.playing import play_references
from pytest_mcpbench.suite_files.loading import load_suite
from tests.generation.review.suites import write_suite

pytestmark = pytest.mark.anyio


async def test_the_results_of_the_reference_are_those_of_the_server(tmp_path: Path) -> None:
    right = {"id": "right", "ask": "1 + 2?", "tool": "calculate", "arguments": {"expression": "1 + 2"}}
    wrong = {**right, "id": "wrong", "tool": "add"}
    suite = load_suite(write_suite(tmp_path / "mine", right, wrong) / "suite.toml", {})
    plays = await play_references([suite])
    assert ("3" in plays["right"].results[0], plays["right"].problem) == (True, "")
    assert plays["wrong"].results == ()
    assert "no server of the task offers" in plays["wrong"].problem
