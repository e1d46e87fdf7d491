"""Generator of the suite ``atlas``: our own tasks in the style and format of MCP-Atlas (arXiv 2602.00933)."""

from pathlib import Path

from pytest_mcpbench.generation.atlas.draft import drafts
from pytest_mcpbench.generation.atlas.rows import json_line
from pytest_mcpbench.generation.directories import output_directory, write_files

SEED = 2026


def task_files(seed: int = SEED) -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {"tasks.jsonl": "".join(json_line(draft, seed) for draft in drafts())}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("atlas"), task_files(seed))
