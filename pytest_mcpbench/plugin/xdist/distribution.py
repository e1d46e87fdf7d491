"""Scheduler of pytest-xdist for runs with tasks; it imports pytest-xdist.

pytest-xdist has no public base class for schedulers. ``LoadScheduling`` is what other plugins derive from; this
scheduler uses its ``node2pending`` (worker -> indices of the items that it has and has not completed),
``node2collection`` and ``collection``, and replaces every method that uses its list ``pending``.
"""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
from xdist.scheduler import LoadScheduling
from xdist.workermanage import WorkerController

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.suite_files.loading import read_suite

# Partition of the collected items among the workers of pytest-xdist.

Worker = TypeVar("Worker", bound=Hashable)

_MINIMUM_ITEMS = 2
"""A worker starts an item only when it knows the next one, or that there is none."""
_FULL = 1 - 1e-9
"""A full load, less what adding up the weights of items may lose to rounding."""


class WorkPartition(Generic[Worker]):
    """Partition into a contiguous block of items per worker, handed out in batches of at most its look-ahead window.

    * Blocks are contiguous, so that tasks on the same servers stay together: each worker starts fewer servers.
    * A worker that has finished its block takes over the back half of the largest remaining one.
    * Batches become smaller towards the end, because an item cannot be taken back from a worker: otherwise one worker
      would have many items left when the others are idle.

    Items are referred to by their index in the collection.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        *,
        is_task: Sequence[bool],
        sets: Sequence[str | None],
        concurrency: int,
        window: int,
    ) -> None:
        self._is_task = is_task
        self._sets = sets
        self._concurrency = concurrency
        self._window = window
        self._unassigned_tests = sum(not each for each in is_task)
        """Number of unassigned items that are ordinary tests."""
        self._returned: deque[int] = deque()
        """Items of workers that are gone."""
        first: dict[str, int] = {}
        for item, name in enumerate(sets):
            if name is not None:
                first.setdefault(name, item)
        # The items of a set of servers follow the first one of that set.
        order = sorted(range(len(sets)), key=lambda item: item if (name := sets[item]) is None else first[name])
        cuts = [self._cut(order, len(order) * part // len(workers)) for part in range(1, len(workers))]
        spans = zip([0, *cuts], [*cuts, len(order)], strict=True)
        self._blocks = {worker: deque(order[start:end]) for worker, (start, end) in zip(workers, spans, strict=True)}

    @property
    def unassigned(self) -> int:
        """Number of items that no worker has received."""
        return len(self._returned) + sum(map(len, self._blocks.values()))

    def take(self, worker: Worker, assigned: Mapping[Worker, Sequence[int]]) -> Iterator[int]:
        """Yield the items to send to the worker now; ``assigned`` has the uncompleted items of every worker."""
        own = list(assigned[worker])
        load = sum(self._weight(item, len(assigned)) for item in own)
        while load < _FULL or len(own) < _MINIMUM_ITEMS:
            block = self._blocks.get(worker) or self._take_over(worker, len(own), assigned)
            if not block:
                return
            item = block.popleft()
            own.append(item)
            load += self._weight(item, len(assigned))
            self._unassigned_tests -= not self._is_task[item]
            yield item

    def remove(self, worker: Worker) -> None:
        """Release the block of a worker that is gone."""
        self._returned += self._blocks.pop(worker, ())

    def put_back(self, items: Sequence[int]) -> None:
        """Accept items that have to be assigned again."""
        self._returned += items
        self._unassigned_tests += sum(not self._is_task[item] for item in items)

    def _weight(self, item: int, workers: int) -> float:
        """Return the share of a full load that the item is: a load is one window of tasks, or one batch of tests."""
        if self._is_task[item]:
            # The attempts in flight, the item that pytest is at, and the next one, which the worker has to know.
            minimum = min(self._concurrency, self._window) + 2
            return 1 / min(max(self._window, minimum), max(minimum, self.unassigned // (2 * workers)))
        # As pytest-xdist itself: a quarter of each worker's share of what is left.
        return 1 / max(_MINIMUM_ITEMS, self._unassigned_tests // (4 * workers))

    def _take_over(self, worker: Worker, own_count: int, assigned: Mapping[Worker, Sequence[int]]) -> deque[int]:
        """Return a new block for the worker, from the items of workers that are gone or the largest other block."""
        new = self._blocks[worker] = deque()
        if self._returned:
            count = -(-len(self._returned) // len(assigned))
            new.extend(self._returned.popleft() for _ in range(count))
            return new
        largest = max(self._blocks, key=lambda other: len(self._blocks[other]))
        block = self._blocks[largest]
        # Half the difference between the loads of the two, so that both end at about the same time.
        surplus = min((len(block) + len(assigned.get(largest, ())) - own_count) // 2, len(block))
        if surplus > 0:
            remaining = self._cut(block, len(block) - surplus)
            new.extendleft(block.pop() for _ in range(len(block) - remaining))
        return new

    def _cut(self, items: Sequence[int], position: int) -> int:
        """Return the position or, if there is one near, that of a boundary between two sets of servers."""
        name = self._sets[items[position]] if 0 < position < len(items) else None
        if name is None or self._sets[items[position - 1]] != name:
            return position
        # A quarter of the items at most behind an even cut: beyond that idle workers cost more than another server.
        limit = (len(items) - position) // 2
        for distance in range(1, limit + 1):
            for near in (position - distance, position + distance):
                if 0 < near < len(items) and self._sets[items[near - 1]] != self._sets[items[near]]:
                    return near
        return position


# Sets of expensive servers that tasks need: processes that a worker starts once for all its tasks.


def server_sets(config: pytest.Config, node_ids: Sequence[str]) -> list[str | None]:
    """Return a key for the set of servers of each item, ``None`` for an item that needs no expensive server.

    A server with one process per attempt costs the same in every worker. So only a file with at least two servers
    whose processes are shared is read: with one, all its tasks need the same.
    """
    files = dict.fromkeys(node_id.partition("::")[0] for node_id in node_ids if is_task_id(node_id))
    sets = {file: _sets_of_file(config, file) for file in files}
    parts = (node_id.partition("::") for node_id in node_ids)
    return [sets.get(file, {}).get(name.partition("[")[0]) for file, _, name in parts]


def _sets_of_file(config: pytest.Config, file: str) -> dict[str, str]:
    """Return the sets by task; none if the file cannot be read, which the workers report."""
    path = config.rootpath / file
    if not file:
        # An id without a file is that of the only argument outside the rootdir.
        outside = [each for each in map(Path, config.args) if not each.is_relative_to(config.rootpath)]
        if len(outside) != 1:
            return {}
        path = outside[0]
    try:
        suite = read_suite(path, catalogue_of(config).names)
        expensive = [name for name, server in suite.servers.items() if server.transport == "stdio" and server.is_shared]
        if len(expensive) < 2:
            return {}
        from pytest_mcpbench.plugin.collection.suites import collect_suite

        suite, records = collect_suite(path, config)
    except (McpBenchError, OSError):
        return {}
    sets = {}
    for record in records:
        if record.task is not None:
            # A task that lists no server can use all servers of the suite.
            uses_all = suite.exposure == "all" or not record.task.servers
            names = suite.servers if uses_all else record.task.servers
            sets[record.id] = f"{path}: {', '.join(name for name in names if name in expensive)}"
    return sets


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
            self._partition = WorkPartition(
                self.nodes,
                is_task=[is_task_id(node_id) for node_id in collection],
                sets=server_sets(self.config, collection),
                concurrency=self._concurrency,
                window=self._window,
            )
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
        for worker in self.nodes if not self._unassigned else ():
            if not worker.shutting_down:
                worker.shutdown()

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

    def _assign_to_all(self) -> None:
        for node in self.nodes:
            self.check_schedule(node)
