"""Scheduler of pytest-xdist for runs with tasks; it imports pytest-xdist.

pytest-xdist has no public base class for schedulers. ``LoadScheduling`` is what other plugins derive from; this
scheduler uses its ``node2pending`` (worker -> indices of the items that it has and has not completed),
``node2collection`` and ``collection``, and replaces every method that uses its list ``pending``.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling
from xdist.workermanage import WorkerController

from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.plugin.xdist.server_sets import server_sets
from pytest_mcpbench.plugin.xdist.work_partition import WorkPartition


class TaskScheduling(LoadScheduling):  # type: ignore[misc]  # xdist is not typed
    """Scheduler that hands items out as :class:`WorkPartition` divides them.

    It never takes an item back from a worker that is alive, because its attempt may have started there.
    Without tasks there is no partition, and every method behaves as pytest-xdist's own.
    """

    collection: list[str] | None

    def __init__(self, config: pytest.Config, log: Any, *, concurrency: int, window: int) -> None:
        super().__init__(config, log)
        self._concurrency = concurrency
        self._window = window
        self._partition: WorkPartition[WorkerController] | None = None

    @property
    def tests_finished(self) -> bool:
        return not self._unassigned and super().tests_finished

    @property
    def has_pending(self) -> bool:
        return bool(self._unassigned) or super().has_pending

    def schedule(self) -> None:
        """Divide the items when all workers have collected; later calls assign items to workers that came later."""
        collection = next(iter(self.node2collection.values()))
        if self._partition is None and not any(map(is_task_id, collection)):
            super().schedule()
            return
        if self.collection is None:
            if not self._check_nodes_have_same_collection():
                return
            self.collection = list(collection)
            self._partition = self._divide(self.collection)
        self._assign_to_all()

    def check_schedule(self, node: WorkerController, duration: float = 0) -> None:
        """Assign more items to the worker; once none is left, shut all workers down.

        A worker runs its last item only when it is told to shut down, because until then it waits for a next item.
        """
        if self._partition is None:
            super().check_schedule(node, duration)
            return
        if not node.shutting_down:
            items = list(self._partition.take(node, self.node2pending))
            if items:
                self.node2pending[node].extend(items)
                node.send_runtest_some(items)
        if not self._unassigned:
            self._shut_down()

    def mark_test_pending(self, item: str) -> None:
        """Schedule an item again, as plugins that repeat an item after a crash ask for."""
        if self._partition is None:
            super().mark_test_pending(item)
            return
        assert self.collection is not None
        self._partition.put_back([self.collection.index(item)])
        self._assign_to_all()

    def remove_node(self, node: WorkerController) -> str | None:
        """Schedule the items of a worker that is gone again; return the one during which it crashed, if any.

        That one is not scheduled again: pytest-xdist reports it as failed, and it might crash the next worker too.
        """
        if self._partition is None:
            crashed: str | None = super().remove_node(node)
            return crashed
        items = self.node2pending.pop(node)
        self._partition.remove(node)
        if not items:
            return None
        assert self.collection is not None
        self._partition.put_back(items[1:])
        self._assign_to_all()
        return str(self.collection[items[0]])

    @property
    def _unassigned(self) -> int:
        return self._partition.unassigned if self._partition is not None else 0

    def _divide(self, collection: Sequence[str]) -> WorkPartition[WorkerController]:
        return WorkPartition(
            self.nodes,
            is_task=[is_task_id(node_id) for node_id in collection],
            sets=server_sets(self.config, collection),
            concurrency=self._concurrency,
            window=self._window,
        )

    def _assign_to_all(self) -> None:
        for node in self.nodes:
            self.check_schedule(node)

    def _shut_down(self) -> None:
        for node in self.nodes:
            if not node.shutting_down:
                node.shutdown()
