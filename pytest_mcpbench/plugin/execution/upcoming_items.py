"""Items that this process runs next."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from pytest_mcpbench.plugin.worker_channel import is_worker


class UpcomingItems:
    """Items behind the current one, in the order in which pytest runs them; in a worker, those it has received."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._items: list[pytest.Item] = []
        self._position: dict[pytest.Item, int] = {}
        self._next: pytest.Item | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._items = session.items
        self._position = {item: index for index, item in enumerate(session.items)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        self._next = nextitem

    def after(self, item: pytest.Item, limit: int) -> Iterator[pytest.Item]:
        """Return the items behind this one, at most ``limit``."""
        if is_worker(self._config):
            return islice(self._received(limit), limit)
        position = self._position[item]
        return islice(self._items, position + 1, position + 1 + limit)

    def _received(self, limit: int) -> Iterator[pytest.Item]:
        queue = _worker_queue(self._config)
        if queue is None or self._next is None:
            return
        # The worker has already taken the next item out of the queue, to pass it to the hooks of the current one.
        yield self._next
        with queue.lock() as entries:
            indices = list(islice(entries, limit))
        # The last entry may be a marker, which ends the worker's loop.
        yield from (self._items[index] for index in indices if isinstance(index, int))


def _worker_queue(config: pytest.Config) -> Any:
    """Return the queue of item indices of this worker, ``None`` if this version of pytest-xdist has no such queue.

    pytest-xdist tells the plugins of a worker only the next item. Its queue is an attribute of the plugin that it
    registers without a name in each worker. Without the queue nothing is started ahead.
    """
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            queue = getattr(plugin, "torun", None)
            return queue if hasattr(queue, "lock") else None
    return None
