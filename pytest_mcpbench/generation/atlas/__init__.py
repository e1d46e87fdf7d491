"""Makes the suite ``atlas``: our own tasks in the manner and the format of MCP-Atlas (arXiv 2602.00933)."""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.generation.atlas import making, money, people
from pytest_mcpbench.generation.atlas.draft import Draft
from pytest_mcpbench.generation.atlas.rows import line
from pytest_mcpbench.generation.atlas.sources import SUITE

SEED = 2026


def drafts() -> Iterator[tuple[str, Draft]]:
    """Every task with its name."""
    for module in (money, making, people):
        for make in module.TASKS:
            yield make.__name__, make()


def task_files(seed: int = SEED) -> dict[str, str]:
    """Path in the suite's directory -> content of every task file."""
    return {"tasks.jsonl": "".join(line(name, draft, seed) for name, draft in drafts())}


def write(directory: Path | None = None, seed: int = SEED) -> None:
    """Write the task files of the suite, by default those that ship."""
    for path, content in task_files(seed).items():
        target = (directory or SUITE) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
