"""Deselection of items by the options of this plugin, and its refusal."""

from collections.abc import Container
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel


def deselect(dropped: Container[pytest.Item], items: list[pytest.Item], config: pytest.Config) -> None:
    """Remove the dropped items from the list, and report them to pytest if there are any."""
    removed = [item for item in items if item in dropped]
    if removed:
        config.hook.pytest_deselected(items=removed)
        items[:] = [item for item in items if item not in dropped]


def refuse(message: str, items: list[pytest.Item], channel: "WorkerChannel") -> None:
    """End the run; a worker of pytest-xdist collects nothing and leaves that to the controller."""
    if not channel.is_worker:
        raise pytest.UsageError(message)
    channel.output.usage_error = message
    items.clear()
