"""Order of the tasks of a run with a local model: those with the same tools follow each other.

A local engine keeps the beginning of the last conversation, the definitions of the tools, so that the next attempt does
not compute it again.
"""

from collections.abc import Iterable

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.plugin.collection.jobs import job_of_item
from pytest_mcpbench.servers.exposure import servers_needed

ToolSet = tuple[str, ...]


class ToolSetOrder:
    """Sorts the items of each file by their tools; sets, and the items of one set, keep their order."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        sets = {item: _set_of_item(item) for item in items}
        servers = _first_places((item.path, sets[item][0]) for item in items)
        tools = _first_places((item.path, *sets[item]) for item in items)
        files = _first_places(item.path for item in items)
        items.sort(
            key=lambda item: (files[item.path], servers[item.path, sets[item][0]], tools[item.path, *sets[item]])
        )


def _first_places(values: Iterable[object]) -> dict[object, int]:
    places: dict[object, int] = {}
    for place, value in enumerate(values):
        places.setdefault(value, place)
    return places


def _set_of_item(item: pytest.Item) -> tuple[ToolSet, ToolSet]:
    """Return the servers and the tools that the task restricts them to; empty for a test without a task."""
    job = job_of_item(item)
    if job is None or job.loaded.task is None:
        return (), ()
    task = job.task
    try:
        servers = tuple(server.name for server in servers_needed(task, job.suite))
    except McpBenchError:
        servers = ()  # its item reports the error
    listed = () if task.tools == "all" else tuple(task.tools)
    needed = {call.tool for call in task.expected.flat_calls} if job.suite.exposure == "needed" else set()
    return servers, (*listed, *sorted(needed))
