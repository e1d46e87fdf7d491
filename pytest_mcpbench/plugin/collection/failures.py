"""Failures with a complete message, which pytest shows without a traceback.

A traceback would show only this plugin's code, and pytest would have to parse its source.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.errors import McpBenchError


class ShortfallError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest creates this class at run time
    """A score is below its floor."""

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)


class AttemptError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest creates this class at run time
    """An attempt could not be completed."""

    def __init__(self, error: "McpBenchError") -> None:
        super().__init__(str(error), pytrace=False)
        self.error = error


def skip_if_not_applicable(error: Exception) -> None:
    """Skip the test if the error says that a metric has nothing to measure in its task."""
    from pytest_mcpbench.core.score import NotApplicableError

    if isinstance(error, NotApplicableError):
        pytest.skip(str(error))
