"""Makes the suite ``toolbench``: our own tasks in the format of MCPToolBench++ (arXiv 2508.07575, 2.3 to 2.5).

A category is one module with its requests, which people wrote; nothing is drawn. What is made of them are records:
tools, servers, similar tools, steps.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_mcpbench.generation.toolbench import browser, cross, filesystem, finance, maps, pay, records, search
from pytest_mcpbench.generation.toolbench.asked import Asked

SUITE = Path(__file__).parents[3] / "suites" / "toolbench"
"""Where the suite lies in a checkout of the project."""

CATEGORIES: Mapping[str, Callable[[], list[Asked]]] = MappingProxyType(
    {
        "browser": browser.tasks,
        "filesystem": filesystem.tasks,
        "finance": finance.tasks,
        "search": search.tasks,
        "map": maps.tasks,
        "pay": pay.tasks,
        "cross": cross.tasks,
    }
)
"""Name of a file in ``tasks/`` -> its requests."""


def task_files() -> dict[str, str]:
    """Path in the suite's directory -> content of every task file."""
    return {f"tasks/{name}.json": records.content(name, made()) for name, made in CATEGORIES.items()}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, by default those that ship."""
    for path, content in task_files().items():
        target = (directory or SUITE) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
