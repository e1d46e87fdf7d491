"""Pairing of reference calls with calls that keeps the order of dependencies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.metrics.comparison.call_graph import CallGraph


@dataclass(frozen=True)
class LevelMatching:
    """The search for a pairing that keeps the order of a graph.

    Maximum matching alone is not enough: of several equal calls, only one choice may stand after what it depends on.
    """

    graph: CallGraph
    fits: Sequence[Sequence[bool]]
    """``fits[node][call]``."""
    levels: Sequence[int]
    """The assistant turn of each call."""
    unpaired: int = 0
    """Number of nodes, other than sinks, that stay without a call."""

    def pairs(self) -> dict[int, int] | None:
        """Return node -> call with level(u) < level(v) wherever v depends on u; ``None`` if there is no such pairing.

        A node without a call leaves the order of its ancestors and descendants in force.
        """
        return self._extend(self.graph.order, {}, self.unpaired)

    def _extend(self, left: Sequence[int], pairs: dict[int, int], unpaired: int) -> dict[int, int] | None:
        if not left:
            return pairs if unpaired == 0 else None
        for call in self._candidates(left[0], pairs):
            found = self._extend(left[1:], {**pairs, left[0]: call}, unpaired)
            if found is not None:
                return found
        return self._extend(left[1:], pairs, unpaired - 1) if unpaired and left[0] not in self.graph.sinks else None

    def _candidates(self, node: int, pairs: dict[int, int]) -> Iterator[int]:
        """Return free calls that fit, earliest first; of calls that nothing tells apart, one."""
        before = self.graph.ancestors[node] & pairs.keys()
        lowest = max((self.levels[pairs[each]] + 1 for each in before), default=0)
        highest = max(self.levels, default=0) - max(0, self.graph.heights[node] - self.unpaired)
        seen: set[tuple[int, tuple[bool, ...]]] = set()
        taken = set(pairs.values())
        for call in sorted(range(len(self.levels)), key=lambda call: self.levels[call]):
            alike = self.levels[call], tuple(row[call] for row in self.fits)
            if call in taken or alike in seen or not self.fits[node][call]:
                continue
            if lowest <= self.levels[call] <= highest:
                seen.add(alike)
                yield call
