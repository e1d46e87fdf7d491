"""Suites and task files that an argument of a command names."""

from pathlib import Path

from pytest_mcpbench.loaders.manifest import STANDALONE_PATTERNS
from pytest_mcpbench.suite_files.discovery import find_suite


def find_suites(name: str, directory: Path) -> list[Path]:
    """Return the files of a suite's name or path, or the stand-alone task files in a directory without a suite.

    Raises:
        UsageError: there is none.
    """
    path = directory / name
    if path.is_dir() and not (path / "suite.toml").is_file():
        files = sorted({file.resolve() for pattern in STANDALONE_PATTERNS for file in path.glob(pattern)})
        if files:
            return files
    return [find_suite(name, directory)]
