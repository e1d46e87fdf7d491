"""Metrics ``dag_*``: several calls with dependencies (MCPToolBench++ 4.1.1, "AST DAG Accuracy").

Nodes are calls. A reference call depends on the calls whose ``<id_result>`` it holds, else on every call of the step
before. The level of a call that was made is the assistant message in which it was made. A task with one reference
call has no graph: its score is that of ``ast``.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.call_text import format_reference
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.root_causes import root_cause
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import CallGroup, ExpectedCall, Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.ast import AstSettings
from pytest_mcpbench.metrics.call_scores import NO_REFERENCE, counts_of, score_of_all
from pytest_mcpbench.metrics.comparison.arguments import referenced_ids
from pytest_mcpbench.metrics.comparison.calls import CallMatching, call_ids, matching_of
from pytest_mcpbench.metrics.comparison.matching import maximum_matching

# Dependency graph of the reference calls (MCPToolBench++ 4.1, appendix A.4).


@dataclass(frozen=True)
class CallGraph:
    """Reference calls, and the indices of those that each one depends on; make it with :meth:`of`."""

    nodes: tuple[ExpectedCall, ...]
    predecessors: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, groups: tuple[CallGroup, ...]) -> "CallGraph":
        """Build the graph: a call depends on the calls that its arguments refer to, else on the previous group."""
        nodes = tuple(call for group in groups for call in group.calls)
        position = {name: index for index, name in enumerate(call_ids(nodes))}
        # For each call, the calls of the previous group.
        steps: list[frozenset[int]] = []
        previous: frozenset[int] = frozenset()
        for group in (group for group in groups if group.calls):
            start = len(steps)
            steps += [previous] * len(group.calls)
            previous = frozenset(range(start, start + len(group.calls)))
        before = [_references(node.arguments, position) - {index} for index, node in enumerate(nodes)]
        return cls(nodes, tuple(found or steps[index] for index, found in enumerate(before)))

    @property
    def has_order(self) -> bool:
        """Return whether there are several calls, and none depends on itself through others."""
        return 1 < len(self.nodes) == len(self.order)

    @cached_property
    def sinks(self) -> tuple[int, ...]:
        """Return the calls on which no other depends."""
        needed = {index for found in self.predecessors for index in found}
        return tuple(index for index in range(len(self.nodes)) if index not in needed)

    @cached_property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """Return, for each call, the calls that it depends on directly or through others."""
        found: list[frozenset[int]] = [frozenset()] * len(self.nodes)
        for index in self.order:
            before = self.predecessors[index]
            found[index] = before.union(*(found[each] for each in before))
        return tuple(found)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Return the calls, each after those that it depends on; calls in or behind a circle are left out."""
        placed: list[int] = []
        for _ in self.nodes:
            ready = (i for i in range(len(self.nodes)) if i not in placed and self.predecessors[i] <= set(placed))
            placed.extend(list(ready)[:1])
        return tuple(placed)

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """Return, for each call, the length of the longest chain of calls that depend on it."""
        heights = [0] * len(self.nodes)
        for index in reversed(self.order):
            for before in self.predecessors[index]:
                heights[before] = max(heights[before], heights[index] + 1)
        return tuple(heights)


def _references(value: Any, position: Mapping[str, int]) -> frozenset[int]:
    if isinstance(value, str):
        return frozenset(position[name] for name in referenced_ids(value, frozenset(position)))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return frozenset(index for part in parts for index in _references(part, position))


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
        """Return the free calls that fit, earliest first; of indistinguishable calls only one."""
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


CIRCULAR = "the reference calls depend on each other in a circle"


@dataclass(frozen=True)
class DagSettings(AstSettings):
    """Settings of the metrics of call graphs, which leave tasks with one reference call to ``ast``."""

    def without_looks(self, task: Task, evidence: AttemptEvidence) -> AttemptEvidence:
        """Return the evidence without needless looks; of several equal ones that stays which is in its place."""

        def in_order(matching: CallMatching) -> Mapping[int, int]:
            graph = CallGraph.of(task.expected.calls)
            if not graph.has_order:
                return matching.pairs
            fits = [[not found for found in row] for row in matching.mismatches]
            return LevelMatching(graph, fits, _levels(evidence), len(matching.missing)).pairs() or matching.pairs

        return self.ast.without_looks(task, evidence, in_order)

    def score_without_order(self, graph: CallGraph, task: Task, evidence: AttemptEvidence) -> Score:
        """Return the score of a task whose calls have no order: that of ``ast`` for one call; unscored for a circle."""
        return self.ast(task, evidence) if len(graph.nodes) < 2 else Score.missing(CIRCULAR)


@dataclass(frozen=True)
class DagLeaf(DagSettings):
    """Score of 1 if the reference's sinks were called, the last message calls nothing else, and the order was kept.

    The paper's definition: the children nodes (last execution nodes) match. Other calls before them do not count, and
    reference calls before them may be missing; those that were made must come after the calls that they depend on.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        graph = CallGraph.of(task.expected.calls)
        evidence = self.without_looks(task, evidence)
        if not graph.has_order:
            return self.score_without_order(graph, task, evidence)
        matching, levels = self.ast.matching(task, evidence), _levels(evidence)
        last = max(levels, default=0)
        at_the_end = [call for call, level in enumerate(levels) if level == last]
        # An earlier call counts as a sink only if a reference sink needs it, so that other calls before the last do no
        # harm.
        left = _part(matching, graph.sinks, at_the_end).missing
        earlier = [call for call, level in enumerate(levels) if level < last]
        pairs = _part(matching, [graph.sinks[index] for index in left], earlier).pairs
        leaves = _part(matching, graph.sinks, [*(earlier[call] for call in pairs.values()), *at_the_end])
        score = score_of_all(leaves, extra_is_wrong=True)
        if score.value == 0:
            return score
        # The calls of the last message match only sinks. A call that only comes before a result that it needs matches,
        # too: that is a broken dependency, not another call.
        fits = [
            [
                not found if node in graph.sinks else level < last and all(each.is_too_early for each in found)
                for found, level in zip(row, levels, strict=True)
            ]
            for node, row in enumerate(matching.mismatches)
        ]
        paired = maximum_matching(fits)
        if LevelMatching(graph, fits, levels, len(graph.nodes) - len(paired)).pairs() is not None:
            return score
        return Score.of(0.0, _too_early(graph, paired, levels), **score.counts)


@dataclass(frozen=True)
class DagStrict(DagSettings):
    """Score of 1 if all calls match one to one and each follows the calls it depends on; otherwise 0."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        graph = CallGraph.of(task.expected.calls)
        evidence = self.without_looks(task, evidence)
        if not graph.has_order:
            return self.score_without_order(graph, task, evidence)
        matching, levels = self.ast.matching(task, evidence), _levels(evidence)
        score = score_of_all(matching, extra_is_wrong=True)
        if score.value == 0:
            return score
        fits = [[not found for found in row] for row in matching.mismatches]
        if LevelMatching(graph, fits, levels).pairs() is not None:
            return score
        return Score.of(0.0, _too_early(graph, matching.pairs, levels), **counts_of(matching))


@dataclass(frozen=True)
class DagNodeF1(DagSettings):
    """Harmonic mean of matched / called and matched / expected calls, whatever their order; 0 if none matches."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        evidence = self.without_looks(task, evidence)
        if len(task.expected.flat_calls) < 2:
            return self.ast(task, evidence)
        matching = self.ast.matching(task, evidence)
        both = len(matching.expected) + len(matching.calls)
        return Score.of(2 * len(matching.pairs) / both, matching.reasons(), **counts_of(matching))


@dataclass(frozen=True)
class DagLastName:
    """Score of the authors' code: the last call has the last reference call's name and succeeded.

    For comparison with published numbers only: arguments, other calls and order do not count.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.flat_calls:
            return Score.not_applicable(NO_REFERENCE)
        if not evidence.calls:
            return Score.verdict(False, ["no tool was called"])
        expected, last = task.expected.flat_calls[-1], evidence.calls[-1]
        if not ToolIndex.of(evidence.tools).accepts(last, expected):
            return Score.verdict(False, [f"the last call is of {last.called}, not of {expected.tool}"])
        cause = root_cause(last)
        return Score.verdict(cause is None, [f"the last call failed: {cause}"] if cause else [])


def _part(matching: CallMatching, references: Collection[int], calls: Collection[int]) -> CallMatching:
    """Return the matching restricted to some reference calls and some calls."""
    rows = tuple(tuple(matching.mismatches[reference][call] for call in calls) for reference in references)
    expected = [matching.expected[reference] for reference in references]
    return matching_of(expected, [matching.calls[call] for call in calls], rows)


def _levels(evidence: AttemptEvidence) -> list[int]:
    return [level for level, step in enumerate(evidence.trajectory.steps) for _ in step.calls]


def _too_early(graph: CallGraph, pairs: Mapping[int, int], levels: Sequence[int]) -> list[str]:
    """Return the dependencies that the paired calls violate."""
    message = {node: levels[call] + 1 for node, call in pairs.items()}
    return [
        f"{format_reference(graph.nodes[after])} was called in message {message[after]}, "
        f"not after {format_reference(graph.nodes[before])} in message {message[before]}"
        for after in sorted(message)
        for before in sorted(graph.ancestors[after] & message.keys())
        if message[before] >= message[after]
    ]
