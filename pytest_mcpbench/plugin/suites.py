"""The suites that the command line and markers name."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.suite_files import find_suite


def find(name: str, config: pytest.Config) -> Path:
    """The suite.toml or task file that a ``--suite`` means; a usage error lists the names that there are."""
    try:
        return find_suite(name, config.invocation_params.dir, config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
