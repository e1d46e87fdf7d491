"""Names of task files, and node ids of their items."""

from pathlib import Path

import pytest

TASK_FILE_ENDINGS = (".mcpbench.yaml", ".mcpbench.yml", ".mcpbench.jsonl")
SUITE_ENDING = ".toml"
LOCK_ENDING = "tools.lock.json"


def is_task_file(path: Path, session: pytest.Session) -> bool:
    """Return whether a file holds tasks: by its ending, or because it is a suite that the command line names."""
    return path.name.endswith(TASK_FILE_ENDINGS) or (path.suffix == SUITE_ENDING and session.isinitpath(path))


def is_task_id(node_id: str) -> bool:
    """Return whether a node id is that of a task.

    Items of a task file outside the rootdir may have node ids without a file.
    """
    file = node_id.partition("::")[0]
    return not file or file.endswith((*TASK_FILE_ENDINGS, SUITE_ENDING))


def is_lock_file(path: Path) -> bool:
    """Return whether a file is the lock of a server."""
    return path.name.endswith(LOCK_ENDING)
