"""Isolation by bubblewrap, for the tests of what it can run."""

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.servers.isolation import Isolation, make_isolation


@pytest.fixture
def bwrap() -> Isolation:
    try:
        return make_isolation("bwrap")
    except UsageError as error:
        pytest.skip(str(error))
