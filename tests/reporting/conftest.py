"""The marker of tests that need a browser."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "chromium: needs Chromium; `.ci/setup` installs it")
