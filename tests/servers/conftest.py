"""Servers that fail are started again without the waits of real runs."""

import pytest

from pytest_mcpbench.servers import shared_server


@pytest.fixture(autouse=True)
def restarts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_server, "FIRST_DELAY_SECONDS", 0.01)
