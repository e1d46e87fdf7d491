"""What tests of every layer share."""

import mcp  # noqa: F401  # its C extensions cannot be imported twice, and pytester forgets the modules of each run
import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
