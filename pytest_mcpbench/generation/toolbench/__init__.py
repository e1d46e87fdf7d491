"""Generator of the suite ``toolbench``: our own tasks in the format of MCPToolBench++ (arXiv 2508.07575, 2.3 to 2.5).

The requests are handwritten, in the suite's ``source/``; nothing is random. The generator turns them into records with
tools, servers, similar tools and steps.
"""

from pathlib import Path

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.toolbench import records
from pytest_mcpbench.generation.toolbench.request import requests

CATEGORIES = ("browser", "filesystem", "finance", "search", "map", "pay", "cross")
"""Names of the files in ``source/``, and of those in ``tasks/``."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.json": records.file_content(name, requests(name)) for name in CATEGORIES}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("toolbench"), task_files())
