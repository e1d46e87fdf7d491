"""Generator of the suite ``finmcp``: our own conversations in FinMCP-Bench's format (arXiv 2603.24943, 2.2 to 2.5).

Questions, reference calls and replies are handwritten, in ``samples/``; nothing is random. The generator executes the
calls on fresh servers to get the results, and fills in the arguments and replies that refer to results.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.finmcp import records
from pytest_mcpbench.generation.finmcp.sample import samples

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "single_tool": ("single_tool",),
        "multi_tool": ("multi_tool",),
        "multi_turn": ("multi_turn_1", "multi_turn_2"),
    }
)
"""Kind of conversation -> names of the files in ``samples/`` that hold conversations of that kind, in order."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {
        f"tasks/benchmark_{kind}.json": records.file_content(kind, samples(*files)) for kind, files in FILES.items()
    }


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("finmcp"), task_files())
