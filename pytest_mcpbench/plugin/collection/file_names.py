"""Names of the files that hold tasks."""

from pathlib import Path

import pytest

TASK_FILE_ENDINGS = (".mcpbench.yaml", ".mcpbench.yml", ".mcpbench.jsonl")
SUITE_ENDING = ".toml"


def is_task_file(path: Path, session: pytest.Session) -> bool:
    """Whether a file holds tasks: by its ending, or as a suite, whatever its name, that the command line names."""
    return path.name.endswith(TASK_FILE_ENDINGS) or (path.suffix == SUITE_ENDING and session.isinitpath(path))
