"""Which items this process will come to next: in a worker of xdist, those that it has been given."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest


class Upcoming:
    """The items behind the one that pytest is at, in the order in which it will come to them."""

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

    def after(self, item: pytest.Item, most: int) -> Iterator[pytest.Item]:
        """At most that many, the next one first."""
        if not hasattr(self._config, "workerinput"):
            here = self._position[item]
            return islice(self._items, here + 1, here + 1 + most)
        return islice(self._given(most), most)

    def _given(self, most: int) -> Iterator[pytest.Item]:
        queue = _queue(self._config)
        if queue is None or self._next is None:
            return
        yield self._next
        with queue.lock() as indices:
            given = list(islice(indices, most))
        yield from (self._items[index] for index in given if isinstance(index, int))


def _queue(config: pytest.Config) -> Any:
    """The queue of a worker, which holds indices of items and at last a marker.

    xdist tells a worker's plugins the next item only; its queue is an attribute of the plugin that it registers. Where
    a version of xdist keeps it elsewhere this is ``None``, and nothing is begun ahead.
    """
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            queue = getattr(plugin, "torun", None)
            return queue if hasattr(queue, "lock") else None
    return None
