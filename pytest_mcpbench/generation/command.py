"""Implementation of ``mcpbench generate``."""

from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.directories import output_directory, suite_directory


def generate(suite: str, directory: Path | None = None, seed: int | None = None) -> list[Path]:
    """Write the task files of a shipped suite and return their paths.

    Without a directory they go to :func:`~pytest_mcpbench.generation.directories.output_directory`. Raises
    ``UsageError`` where the suite has no random part but a seed is passed, or where its input files are not installed.
    """
    manifest = suite_directory(suite) / "suite.toml"
    if not manifest.is_file():
        raise UsageError(
            f"the suite {suite!r} cannot be generated: its input files are not installed, {manifest} does not exist. "
            "Install pytest-mcpbench from its wheel, or run the command in a checkout of the project."
        )
    generator = import_module(f"pytest_mcpbench.generation.{suite.replace('-', '_')}")
    generator.write(directory, **_seed_argument(generator, suite, seed))
    root = directory or output_directory(suite)
    return [root / path for path in generator.task_files(**_seed_argument(generator, suite, seed))]


def _seed_argument(generator: Any, suite: str, seed: int | None) -> dict[str, int]:
    if seed is None:
        return {}
    if not hasattr(generator, "SEED"):
        raise UsageError(f"the suite {suite!r} has no random part, so --seed does not apply to it.")
    return {"seed": seed}
