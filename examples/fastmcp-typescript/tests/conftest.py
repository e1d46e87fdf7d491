"""Tasks that only a model solves."""

import pytest

NEEDS_A_MODEL = ("two-conversions[lexical]",)


def pytest_collection_modifyitems(items):
    """Expect that the agent without a model, which makes one call for a request, fails these tasks."""
    for item in items:
        if item.name in NEEDS_A_MODEL:
            item.add_marker(pytest.mark.xfail(reason="the request needs two calls", strict=True))
