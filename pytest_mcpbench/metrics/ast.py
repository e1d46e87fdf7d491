"""Metrics ``ast`` and ``ast_calls``: the calls equal the reference calls (MCPToolBench++ 4.1.1, after BFCL)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.argument_judge import argument_questions, matching_with_verdicts, score_with_verdicts
from pytest_mcpbench.metrics.bfcl import BfclComparison
from pytest_mcpbench.metrics.call_scores import score_of_all, score_of_share, score_without_reference
from pytest_mcpbench.metrics.comparison.calls import CallComparison, CallMatching, Comparer, match_calls
from pytest_mcpbench.metrics.comparison.comparators import ComparatorName
from pytest_mcpbench.text.moments import time_zone

AstProfile = Literal["strict", "lenient", "bfcl"]


@dataclass(frozen=True)
class Ast:
    """Score of 1 if the calls equal the reference calls in any order; otherwise 0.

    Reference calls and calls are paired by maximum matching and must be equally many, unless extra calls are ignored.
    It does not apply to a task without reference calls; where it forbids all tools, 1 if none was called.
    """

    profile: AstProfile = "strict"
    extra_calls: Literal["fail", "ignore"] = "fail"
    sets: frozenset[str] = frozenset()
    """Parameters whose lists have no order, by dotted name (``paths``, ``options.tags``); not for ``bfcl``."""
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)
    """Parameter -> ``path``, ``url``, ``datetime``, ``email``, ``coordinates`` or ``text``; ``lenient`` only."""
    exact: frozenset[str] = frozenset()
    """Parameters whose text is compared character by character (``content``, ``edits.newText``); not for ``bfcl``."""
    unordered: frozenset[str] = frozenset()
    """Parameters whose lists have no order, but whose repetitions count; not for ``bfcl``."""
    lookups: frozenset[str] = frozenset()
    """Parameters that say what a search looks for (``keyword``), or for how much of it (``size``): other values are
    right that find the same; not for ``bfcl``."""
    looks: frozenset[str] = frozenset()
    """Tools that only look: of their calls, only those count that the reference needs."""
    zone: str = ""
    """IANA name of the time zone of times without an offset, such as ``UTC``; not for ``bfcl``."""
    judge: bool = False
    """Ask a judge about strings that still differ; ``lenient`` only. Its decisions are named in the reasons."""

    def __post_init__(self) -> None:
        if self.profile == "bfcl" and self.exact:
            raise ValueError("the profile 'bfcl' has its own comparison of texts and takes no exact parameters")
        time_zone(self.zone)
        if self.profile != "lenient" and (self.comparators or self.judge):
            raise ValueError(f"comparators and a judge belong to the profile 'lenient', not to {self.profile!r}")

    def comparison(self, task: Task) -> Comparer:
        """Return how one call is compared with one reference call of the task."""
        if self.profile == "bfcl":
            return BfclComparison()
        return CallComparison(
            profile=self.profile,
            sets=self.sets,
            comparators=self.comparators,
            exact=self.exact,
            unordered=self.unordered,
            lookups=self.lookups,
            zone=self.zone,
            request=task.request,
        )

    def without_looks(
        self,
        task: Task,
        evidence: AttemptEvidence,
        pairing: Callable[[CallMatching], Mapping[int, int]] = attrgetter("pairs"),
    ) -> AttemptEvidence:
        """Return the evidence without the calls of tools that only look and that are paired with no reference call.

        Those of a tool that a reference call still waits for stay, as what was wrong about them says what is missing.

        Args:
            task: The task.
            evidence: All calls.
            pairing: Returns reference call -> call by their indices; by default as the matching pairs them.
        """
        if self.looks.isdisjoint(call.called for call in evidence.calls):
            return evidence
        matching = self.matching(task, evidence)
        paired = set(pairing(matching).values())
        missing = [matching.expected[index] for index in matching.missing]
        waiting = {name for call in missing for name in (call.tool, *(each.tool for each in call.similar_tools))}
        ignored = self.looks - waiting
        counts = iter([at in paired or call.called not in ignored for at, call in enumerate(evidence.calls)])
        steps = tuple(
            step.model_copy(update={"calls": tuple(call for call in step.calls if next(counts))})
            for step in evidence.trajectory.steps
        )
        return evidence.model_copy(update={"trajectory": evidence.trajectory.model_copy(update={"steps": steps})})

    def matching(self, task: Task, evidence: AttemptEvidence) -> CallMatching:
        """Return the reference calls paired with the attempt's calls, without a judge."""
        return self._match(task.expected.flat_calls, task, evidence)

    def match_references(self, expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence) -> CallMatching:
        """Return the reference calls paired with the attempt's calls; a judge's verdicts count as for the score."""
        matching = self._match(expected, task, evidence)
        return matching_with_verdicts(matching, task, evidence) if self.judge else matching

    def _match(self, expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence) -> CallMatching:
        return match_calls(expected, evidence.calls, ToolIndex.of(evidence.tools), self.comparison(task))

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return questions about strings that are the only difference between a call and its reference."""
        evidence = self.without_looks(task, evidence)
        if not self.judge or self._without_judge(task, evidence).value != 0:
            return ()
        return argument_questions(self.matching(task, evidence), task)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        evidence = self.without_looks(task, evidence)
        score = self._without_judge(task, evidence)
        if not self.judge or score.value != 0:
            return score
        return score_with_verdicts(self.matching(task, evidence), task, evidence, self._score)

    def _without_judge(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.flat_calls:
            return score_without_reference(task, evidence)
        return self._score(self.matching(task, evidence))

    def _score(self, matching: CallMatching) -> Score:
        return score_of_all(matching, extra_is_wrong=self.extra_calls == "fail")


@dataclass(frozen=True)
class AstSettings:
    """Settings of the comparison of single calls, as in :class:`Ast`."""

    profile: AstProfile = "strict"
    sets: frozenset[str] = frozenset()
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    lookups: frozenset[str] = frozenset()
    looks: frozenset[str] = frozenset()
    zone: str = ""

    @property
    def ast(self) -> Ast:
        """Return the metric that compares calls with these settings."""
        return Ast(**vars(self))

    def match_references(self, expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence) -> CallMatching:
        """Return the reference calls paired with the attempt's calls."""
        return self.ast.match_references(expected, task, evidence)


@dataclass(frozen=True)
class AstCalls(AstSettings):
    """Share of the reference calls that were made, paired as for :class:`Ast`; extra calls do not count."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.flat_calls:
            return score_without_reference(task, evidence)
        return score_of_share(self.ast.matching(task, evidence))
