"""Generator of the suite ``finmcp``: our own conversations in FinMCP-Bench's format (arXiv 2603.24943, 2.2 to 2.5).

Questions, reference calls and replies are handwritten, in the suite's ``source/``; nothing is random. The generator
executes the calls on fresh servers to get the results, and fills in the arguments and replies that refer to results.
"""

from pathlib import Path

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.finmcp import records
from pytest_mcpbench.generation.finmcp.sample import samples

KINDS = ("single_tool", "multi_tool", "multi_turn")
"""Kinds of conversations, which are the names of the files in ``source/``."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/benchmark_{kind}.json": records.file_content(kind, samples(kind)) for kind in KINDS}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("finmcp"), task_files())
