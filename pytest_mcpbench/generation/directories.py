"""Directories that generators read from and write to, in a checkout and in an installed wheel."""

from collections.abc import Mapping
from pathlib import Path

import pytest_mcpbench
from pytest_mcpbench.suite_files.discovery import shipped_directory


def suite_directory(suite: str) -> Path:
    """Return the directory of a shipped suite; generators read their input files from there."""
    return shipped_directory() / suite


def is_checkout() -> bool:
    """Return whether the package is imported from a checkout, where ``suites/`` lies next to it and not inside it."""
    return Path(pytest_mcpbench.__file__).resolve().parent not in shipped_directory().parents


def output_directory(suite: str) -> Path:
    """Return the default directory for generated task files.

    In a checkout it is the shipped suite. An installed package is not written to: there it is ``suites/NAME`` below the
    working directory.
    """
    return suite_directory(suite) if is_checkout() else Path("suites") / suite


def write_files(directory: Path, files: Mapping[str, str]) -> None:
    """Write each file, by its path relative to the directory; missing directories are created."""
    for path, content in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
