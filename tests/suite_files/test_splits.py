"""The splits of the suites that ship name tasks that exist."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hard = []", "splits.toml: the split 'hard' has no task."),
        (b"hard = [1]", "splits.toml: a split is a list of ids of tasks: "),
        (b"hard = [", "splits.toml cannot be read: "),
        (b'hard = ["\xff"]', "splits.toml cannot be read: it is not UTF-8"),
        (None, "splits.toml cannot be read: "),
    ],
    ids=str,
)
def test_splits_that_name_no_tasks_or_cannot_be_read_are_an_error(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    (tmp_path / "suite.toml").write_text('files = ["tasks.yaml"]\n')
    (tmp_path / "tasks.yaml").write_text("tasks:\n- {id: a, ask: Say a., answer: a}\n")
    loaded = load_suite(tmp_path / "suite.toml", {})
    if content is None:
        (tmp_path / FILE_NAME).mkdir()
    else:
        (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(UsageError) as caught:
        with_part(loaded, "hard")
    assert message in str(caught.value)
