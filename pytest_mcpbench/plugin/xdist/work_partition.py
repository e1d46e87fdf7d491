"""Which worker gets which of the items that none has been given yet."""

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)

_FEWEST = 2
"""A worker begins with an item only when it knows the next one."""
_FULL = 1 - 1e-9


class WorkPartition(Generic[Node]):
    """Gives each worker a stretch of the items, and of it as many at a time as fill its window.

    A stretch is a run of neighbours, so that tasks on the same servers stay together. A worker that has come to the end
    of its own takes over the back half of what is left of the longest. Towards the end workers get fewer at a time, so
    that none has many left when the others have none. Items are known by their index.
    """

    def __init__(
        self,
        workers: Sequence[Node],
        *,
        is_task: Sequence[bool],
        sets: Sequence[str | None],
        in_flight: int,
        window: int,
    ) -> None:
        self._is_task = is_task
        self._sets = sets
        self._in_flight = in_flight
        self._window = window
        self._others = sum(not each for each in is_task)
        self._orphans: deque[int] = deque()
        """Items of workers that are gone."""
        order = _side_by_side(sets)
        cuts = [self._cut(order, len(order) * part // len(workers)) for part in range(1, len(workers))]
        spans = zip([0, *cuts], [*cuts, len(order)], strict=True)
        self._stretches = {worker: deque(order[start:end]) for worker, (start, end) in zip(workers, spans, strict=True)}

    @property
    def left(self) -> int:
        """How many items no worker has."""
        return len(self._orphans) + sum(map(len, self._stretches.values()))

    def take(self, worker: Node, given: Mapping[Node, Sequence[int]]) -> Iterator[int]:
        """What the worker is to get now; ``given`` is what each has and has not reported."""
        has = list(given[worker])
        load = sum(self._weight(item, len(given)) for item in has)
        while load < _FULL or len(has) < _FEWEST:
            stretch = self._stretches.get(worker) or self._taken_over(worker, len(has), given)
            if not stretch:
                return
            item = stretch.popleft()
            has.append(item)
            load += self._weight(item, len(given))
            self._others -= not self._is_task[item]
            yield item

    def lose(self, worker: Node) -> None:
        """The worker is gone: its stretch is for the others."""
        self._orphans += self._stretches.pop(worker, ())

    def put_back(self, items: Sequence[int]) -> None:
        """Items that were given and are to be given again."""
        self._orphans += items
        self._others += sum(not self._is_task[item] for item in items)

    def _weight(self, item: int, workers: int) -> float:
        """Which part of a worker's fill it is: a window of tasks; of other tests as many as xdist gives."""
        if self._is_task[item]:
            # At the end those in flight, the one that pytest is at, and the next, which it must know.
            least = min(self._in_flight, self._window) + 2
            return 1 / min(max(self._window, least), max(least, self.left // (2 * workers)))
        return 1 / max(_FEWEST, self._others // (4 * workers))

    def _taken_over(self, worker: Node, has: int, given: Mapping[Node, Sequence[int]]) -> deque[int]:
        """The worker's new stretch: part of what workers have left that are gone, or of another's."""
        new = self._stretches[worker] = deque()
        if self._orphans:
            count = -(-len(self._orphans) // len(given))
            new.extend(self._orphans.popleft() for _ in range(count))
            return new
        longest = max(self._stretches, key=lambda other: len(self._stretches[other]))
        stretch = self._stretches[longest]
        surplus = min((len(stretch) + len(given.get(longest, ())) - has) // 2, len(stretch))
        if surplus > 0:
            kept = self._cut(stretch, len(stretch) - surplus)
            new.extendleft(stretch.pop() for _ in range(len(stretch) - kept))
        return new

    def _cut(self, items: Sequence[int], cut: int) -> int:
        """The place of the cut or, if that is near, the border beside it between two sets of servers."""
        name = self._sets[items[cut]] if 0 < cut < len(items) else None
        if name is None or self._sets[items[cut - 1]] != name:
            return cut
        near = (len(items) - cut) // 2
        for distance in range(1, near + 1):
            for place in (cut - distance, cut + distance):
                if 0 < place < len(items) and self._sets[items[place - 1]] != self._sets[items[place]]:
                    return place
        return cut


def _side_by_side(sets: Sequence[str | None]) -> list[int]:
    """The items in their order, those of one set where its first stands."""
    first: dict[str, int] = {}
    for item, name in enumerate(sets):
        if name is not None:
            first.setdefault(name, item)
    return sorted(range(len(sets)), key=lambda item: item if (name := sets[item]) is None else first[name])
