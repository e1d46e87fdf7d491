"""Failures with a complete message, which pytest shows without a traceback.

A traceback would show only this plugin's code, and pytest would have to parse its source.
"""

from collections.abc import Generator

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.score import NotApplicableError


class ShortfallError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest creates this class at run time
    """A score is below its floor."""

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)


class AttemptError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest creates this class at run time
    """An attempt could not be completed."""

    def __init__(self, error: McpBenchError) -> None:
        super().__init__(str(error), pytrace=False)
        self.error = error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Skip a test that compares a score which does not apply to its task."""
    try:
        yield
    except NotApplicableError as error:
        if "mcp_scorecard" in getattr(item, "fixturenames", ()):
            pytest.skip(str(error))
        raise
