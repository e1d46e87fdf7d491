"""A mark for tests that need the engine of small models, which only ``pytest-mcpbench[local]`` installs."""

from importlib.util import find_spec

import pytest

from pytest_mcpbench.models.local.engine_process import ENGINE

needs_engine = pytest.mark.skipif(find_spec(ENGINE) is None, reason=f"needs {ENGINE}: pip install '.[local]'")
