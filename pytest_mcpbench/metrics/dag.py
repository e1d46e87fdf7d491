"""``dag_*``: several calls with dependencies (MCPToolBench++ 4.1.1, "AST DAG Accuracy").

Nodes are calls. A reference call depends on the calls whose ``<id_result>`` it holds, else on every call of the step
before. The level of a call that was made is the assistant message in which it was made. A task with one reference
call has no graph: its score is that of ``ast``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pytest_mcpbench.core.call_text import format_reference
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.root_causes import root_cause
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.ast import Ast, AstProfile
from pytest_mcpbench.metrics.call_scores import NO_REFERENCE, counts_of, score_of_all
from pytest_mcpbench.metrics.comparison.call_graph import CallGraph
from pytest_mcpbench.metrics.comparison.calls import CallMatching, matching_of
from pytest_mcpbench.metrics.comparison.comparators import ComparatorName
from pytest_mcpbench.metrics.comparison.level_matching import LevelMatching

CIRCULAR = "the reference calls depend on each other in a circle"


@dataclass(frozen=True)
class DagSettings:
    """Settings for the comparison of single calls, as in :class:`~pytest_mcpbench.metrics.ast.Ast`."""

    profile: AstProfile = "strict"
    sets: frozenset[str] = frozenset()
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)

    @property
    def ast(self) -> Ast:
        """Return the metric that decides about tasks with one reference call."""
        return Ast(profile=self.profile, sets=self.sets, comparators=self.comparators)


@dataclass(frozen=True)
class DagLeaf(DagSettings):
    """Score of 1 if the calls of the last calling message match the reference's sinks one to one; otherwise 0.

    The paper's definition: the children nodes (last execution nodes) match. What was called before does not count.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        graph = CallGraph.of(task.expected.calls)
        if len(graph.nodes) < 2:
            return self.ast(task, evidence)
        if len(graph.order) < len(graph.nodes):
            return Score.missing(CIRCULAR)
        last = len(evidence.trajectory.rounds[-1].calls) if evidence.calls else 0
        calls = range(len(evidence.calls) - last, len(evidence.calls))
        return score_of_all(_part(self.ast.matching(task, evidence), graph.sinks, calls), extra_is_wrong=True)


@dataclass(frozen=True)
class DagStrict(DagSettings):
    """Score of 1 if all calls match one to one and each follows the calls it depends on; otherwise 0."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        graph = CallGraph.of(task.expected.calls)
        if len(graph.nodes) < 2:
            return self.ast(task, evidence)
        if len(graph.order) < len(graph.nodes):
            return Score.missing(CIRCULAR)
        matching = self.ast.matching(task, evidence)
        score = score_of_all(matching, extra_is_wrong=True)
        if score.value == 0:
            return score
        fits = [[not found for found in row] for row in matching.mismatches]
        if LevelMatching(graph, fits, _levels(evidence)).pairs() is not None:
            return score
        return Score.of(0.0, _too_early(graph, matching, _levels(evidence)), **counts_of(matching))


@dataclass(frozen=True)
class DagNodeF1(DagSettings):
    """Harmonic mean of matched / called and matched / expected calls, whatever their order; 0 if none matches."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
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
    """Return the matching among some of the reference calls and some of the calls."""
    rows = tuple(tuple(matching.mismatches[reference][call] for call in calls) for reference in references)
    expected = [matching.expected[reference] for reference in references]
    return matching_of(expected, [matching.calls[call] for call in calls], rows)


def _levels(evidence: AttemptEvidence) -> list[int]:
    return [level for level, step in enumerate(evidence.trajectory.steps) for _ in step.calls]


def _too_early(graph: CallGraph, matching: CallMatching, levels: list[int]) -> list[str]:
    """Return the dependencies that the calls as paired do not keep."""
    message = {node: levels[call] + 1 for node, call in matching.pairs.items()}
    return [
        f"{format_reference(graph.nodes[after])} was called in message {message[after]}, "
        f"not after {format_reference(graph.nodes[before])} in message {message[before]}"
        for after in range(len(graph.nodes))
        for before in sorted(graph.predecessors[after])
        if message[before] >= message[after]
    ]
