"""Generator of the suite ``atlas``: our own tasks in the style and format of MCP-Atlas (arXiv 2602.00933)."""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.generation.atlas import money, people, production
from pytest_mcpbench.generation.atlas.draft import Draft
from pytest_mcpbench.generation.atlas.rows import json_line
from pytest_mcpbench.generation.directories import output_directory, write_files

SEED = 2026


def drafts() -> Iterator[tuple[str, Draft]]:
    """Yield every task as its name and its draft."""
    for module in (money, production, people):
        for make in module.TASKS:
            yield make.__name__, make()


def task_files(seed: int = SEED) -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {"tasks.jsonl": "".join(json_line(name, draft, seed) for name, draft in drafts())}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("atlas"), task_files(seed))
