"""Makes the suite ``atlas``: our own tasks in the manner and the format of MCP-Atlas (arXiv 2602.00933)."""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.generation.atlas import money, people, production
from pytest_mcpbench.generation.atlas.draft import Draft
from pytest_mcpbench.generation.atlas.rows import json_line
from pytest_mcpbench.generation.directories import output_directory, write_files

SEED = 2026


def drafts() -> Iterator[tuple[str, Draft]]:
    """Every task with its name."""
    for module in (money, production, people):
        for make in module.TASKS:
            yield make.__name__, make()


def task_files(seed: int = SEED) -> dict[str, str]:
    """Path in the suite's directory -> content of every task file."""
    return {"tasks.jsonl": "".join(json_line(name, draft, seed) for name, draft in drafts())}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("atlas"), task_files(seed))
