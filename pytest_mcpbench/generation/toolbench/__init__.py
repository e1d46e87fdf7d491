"""Generator of the suite ``toolbench``: our own tasks in the format of MCPToolBench++ (arXiv 2508.07575, 2.3 to 2.5).

Each category is a module with handwritten requests; nothing is random. The generator turns them into records with
tools, servers, similar tools and steps.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.toolbench import browser, cross, filesystem, finance, maps, pay, records, search
from pytest_mcpbench.generation.toolbench.request import Request

CATEGORIES: Mapping[str, Callable[[], list[Request]]] = MappingProxyType(
    {
        "browser": browser.requests,
        "filesystem": filesystem.requests,
        "finance": finance.requests,
        "search": search.requests,
        "map": maps.requests,
        "pay": pay.requests,
        "cross": cross.requests,
    }
)
"""Functions that return the requests of each file in ``tasks/``, by file name."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.json": records.file_content(name, build()) for name, build in CATEGORIES.items()}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("toolbench"), task_files())
