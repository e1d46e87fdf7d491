"""Collection of reference cycles while items run."""

from collections.abc import Generator

import pytest

from pytest_mcpbench.garbage_collection import rare_collection


class RareCollection:
    """Collects reference cycles less often while the items of a run with tasks run."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        with rare_collection():
            return (yield)
