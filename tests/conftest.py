"""What tests of every layer share."""

import importlib
import pkgutil

import httpcore2  # noqa: F401
import httpx2  # noqa: F401
import jsonschema  # noqa: F401
import mcp  # noqa: F401
import numpy  # noqa: F401
import pytest
import yaml  # noqa: F401

import pytest_mcpbench

# pytester forgets the modules that a run in this process has imported. C extensions cannot be imported again, and of
# ours there would be two copies whose classes are not the same: all are imported before the first such run.
for module in pkgutil.walk_packages(pytest_mcpbench.__path__, "pytest_mcpbench."):
    importlib.import_module(module.name)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
