"""Failures whose message says everything: pytest shows it without a traceback, and so parses no source for one."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.errors import McpBenchError


class ShortfallError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest makes it at run time
    """A score is below its floor."""

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)


class AttemptError(pytest.fail.Exception):  # type: ignore[name-defined, misc]  # pytest makes it at run time
    """An attempt could not be made."""

    def __init__(self, error: "McpBenchError") -> None:
        super().__init__(str(error), pytrace=False)
        self.error = error
