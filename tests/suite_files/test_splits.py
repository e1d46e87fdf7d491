"""The splits of the suites that ship name tasks that exist."""

from pathlib import Path

import pytest

from pytest_mcpbench.suite_files.discovery import shipped_directory
from pytest_mcpbench.suite_files.loading import load_suite
from pytest_mcpbench.suite_files.splits import FILE_NAME, with_part

SPLITS = sorted(shipped_directory().glob(f"*/{FILE_NAME}"))


@pytest.mark.parametrize("path", SPLITS, ids=lambda path: path.parent.name)
def test_shipped_splits_are_20_tasks_a_third_and_a_quarter(path: Path) -> None:
    loaded = load_suite(path.parent / "suite.toml", {})
    tasks = len(loaded.records)
    sizes = {part: len(with_part(loaded, part).drawn) for part in ("full", "quick", "core", "hard")}
    assert sizes == {"full": tasks, "quick": 20, "core": tasks // 3, "hard": -(-tasks // 4)}
