"""Partition of the collected items among the workers of pytest-xdist."""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

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
        order = _grouped_by_set(sets)
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


def _grouped_by_set(sets: Sequence[str | None]) -> list[int]:
    """Return the items in their order, except that those of a set of servers follow the first item of that set."""
    first: dict[str, int] = {}
    for item, name in enumerate(sets):
        if name is not None:
            first.setdefault(name, item)
    return sorted(range(len(sets)), key=lambda item: item if (name := sets[item]) is None else first[name])
