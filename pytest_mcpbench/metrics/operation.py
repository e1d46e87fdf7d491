"""Metric ``operation``: the right calls were made in their order (MCP-RADAR 4.2, accuracy of fuzzy match tasks)."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.call_text import format_call, format_reference
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.argument_judge import SAME, argument_question
from pytest_mcpbench.metrics.call_scores import NO_REFERENCE
from pytest_mcpbench.metrics.comparison.arguments import Difference
from pytest_mcpbench.metrics.comparison.calls import WHY_REFUSED, CallMatching, Mismatch, matching_of
from pytest_mcpbench.metrics.comparison.matchers import resolve_matchers
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.comparison.operands import FREE_TEXT, OperationValues, rouge_l
from pytest_mcpbench.metrics.round_limit import excess_rounds

Fits = Callable[[ExpectedCall, CallRecord], bool]


@dataclass(frozen=True)
class Operation:
    """Score of 1 if the reference calls are, in order, among the calls that succeeded; otherwise 0.

    More rounds than allowed: 0, as for ``answer``. Calls between them do not count (``mode = "exact"``: there may be
    none). Arguments are compared by :mod:`pytest_mcpbench.metrics.comparison.operands`; names after ``SendEmail`` →
    ``send_email``.
    """

    mode: Literal["subsequence", "exact"] = "subsequence"
    free_text: frozenset[str] = FREE_TEXT
    """Keys whose text may be worded freely."""
    text: Literal["present", "rouge", "judge"] = "present"
    """Requirement on free text: not empty, similar by ROUGE-L, or equivalent to a judge."""
    rouge: float = 0.5
    """Least ROUGE-L (F1 on words) for ``text = "rouge"``."""
    sets: frozenset[str] = frozenset()
    """Keys whose lists have no order (``to``, ``labels``)."""
    root: str = ""
    """The home directory of the task's servers: with it, a relative path is as good as the absolute one."""
    rounds: int | None = None
    """Rounds (model calls) after which an operation no longer counts; default: the task's limit."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return questions about the free texts of calls that otherwise match."""
        if self.text != "judge":
            return ()
        questions = (
            one for pair in self._candidate_pairs(task, evidence) for one in self._argument_questions(task, *pair)
        )
        return tuple({one.key: one for one in questions}.values())

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.flat_calls:
            return Score.not_applicable(NO_REFERENCE)
        if self.text != "judge":
            return self._score(task, evidence, self._fits(evidence))
        verdicts = self._verdicts(task, evidence)
        accepted = _accepted(verdicts)
        open_ = {key for key, verdict in verdicts.items() if verdict is None or verdict.label is None}
        settled = self._score(task, evidence, self._fits_if(task, evidence, accepted))
        if (
            open_
            and settled.value != self._score(task, evidence, self._fits_if(task, evidence, accepted | open_)).value
        ):
            return Score.missing("a judge is needed for free text, and gave no verdict")
        return settled

    def match_references(self, expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence) -> CallMatching:
        """Return the reference calls paired with the calls that succeeded, whatever their order."""
        accepted = _accepted(self._verdicts(task, evidence))
        tools = ToolIndex.of(evidence.tools)

        def mismatches(reference: ExpectedCall, call: CallRecord) -> tuple[Mismatch, ...]:
            if call.problem is not None and tools.accepts(call, reference):
                return (Mismatch(WHY_REFUSED[call.problem]),)
            if not _is_of(call, reference, tools):
                return (Mismatch(f"{call.called} was called, not {reference.tool}", is_other_tool=True),)
            different = self._differences(task, reference, call, accepted)
            failed = (Mismatch("the call failed"),) if call.is_error else ()
            return (*(Mismatch(str(difference), difference) for difference in different), *failed)

        rows = tuple(tuple(mismatches(reference, call) for call in evidence.calls) for reference in expected)
        return matching_of(expected, evidence.calls, rows)

    def _verdicts(self, task: Task, evidence: AttemptEvidence) -> dict[str, Verdict | None]:
        return {question.key: evidence.verdict(question) for question in self.questions(task, evidence)}

    def _differences(
        self, task: Task, reference: ExpectedCall, call: CallRecord, accepted: Collection[str]
    ) -> tuple[Difference, ...]:
        """Return what differs; with a judge also the free texts that it did not accept."""
        found = _differences(self._values(), reference, call)
        if found or self.text != "judge":
            return found
        worded = _differences(self._identical_texts(), reference, call)
        return tuple(each for each in worded if argument_question(task, reference, each).key not in accepted)

    def _score(self, task: Task, evidence: AttemptEvidence, fits: Fits) -> Score:
        expected, calls = task.expected.flat_calls, [call for call in evidence.calls if not call.is_error]
        found = _subsequence(expected, calls, fits)
        reasons = self._reasons(expected[found:], evidence) if found < len(expected) else []
        if self.mode == "exact" and len(calls) != len(expected):
            reasons.append(f"{len(calls)} calls succeeded, {len(expected)} are expected")
        if excess := excess_rounds(task, evidence, self.rounds):
            reasons.insert(0, excess)
        counts = {"matched": found, "expected": len(expected), "called": len(evidence.calls), "succeeded": len(calls)}
        return Score.of(float(not reasons), reasons, **counts, **_selection_counts(expected, evidence, fits))

    def _reasons(self, missing: Sequence[ExpectedCall], evidence: AttemptEvidence) -> list[str]:
        first, tools = missing[0], ToolIndex.of(evidence.tools)
        calls = [(number, call) for number, call in enumerate(evidence.calls, 1) if _is_of(call, first, tools)]
        tried = [f"call {number}: {self._why_not(first, call)}" for number, call in calls]
        after = f"; {len(missing) - 1} more after it" if len(missing) > 1 else ""
        return [f"no successful call, in its place, of {format_reference(first)}{after}", *tried]

    def _why_not(self, expected: ExpectedCall, call: CallRecord) -> str:
        if call.is_error:
            return f"{format_call(call)} failed"
        differences = _differences(self._values(), expected, call)
        return "; ".join(map(str, differences)) or "made before the calls that it must follow, or paired already"

    def _values(self) -> OperationValues:
        if self.text == "rouge":
            return OperationValues(
                self.free_text, lambda reference, text: rouge_l(reference, text) >= self.rouge, self.sets, self.root
            )
        return OperationValues(self.free_text, sets=self.sets, root=self.root)

    def _identical_texts(self) -> OperationValues:
        return OperationValues(self.free_text, lambda reference, text: reference == text, self.sets, self.root)

    def _fits(self, evidence: AttemptEvidence) -> Fits:
        values, tools = self._values(), ToolIndex.of(evidence.tools)

        def fits(expected: ExpectedCall, call: CallRecord) -> bool:
            return _is_of(call, expected, tools) and not _differences(values, expected, call)

        return fits

    def _fits_if(self, task: Task, evidence: AttemptEvidence, accepted: set[str]) -> Fits:
        plain = self._fits(evidence)
        return lambda expected, call: (
            plain(expected, call)
            and all(questions.key in accepted for questions in self._argument_questions(task, expected, call))
        )

    def _candidate_pairs(self, task: Task, evidence: AttemptEvidence) -> list[tuple[ExpectedCall, CallRecord]]:
        fits = self._fits(evidence)
        calls = [call for call in evidence.calls if not call.is_error]
        return [(expected, call) for expected in task.expected.flat_calls for call in calls if fits(expected, call)]

    def _argument_questions(self, task: Task, expected: ExpectedCall, call: CallRecord) -> list[Question]:
        worded = _differences(self._identical_texts(), expected, call)
        return [argument_question(task, expected, difference) for difference in worded]


def _accepted(verdicts: Mapping[str, Verdict | None]) -> set[str]:
    return {key for key, verdict in verdicts.items() if verdict and verdict.label == SAME}


def _differences(values: OperationValues, expected: ExpectedCall, call: CallRecord) -> tuple[Difference, ...]:
    reference = resolve_matchers(expected, call.arguments).arguments
    return values.differences(reference, call.arguments, expected.optional)


def _selection_counts(expected: Sequence[ExpectedCall], evidence: AttemptEvidence, fits: Fits) -> dict[str, int]:
    """Count the right calls in any order, and all calls of tools that the reference has (MCP-RADAR Table 4)."""
    tools = ToolIndex.of(evidence.tools)
    tried = [call for call in evidence.calls if any(_is_of(call, one, tools) for one in expected)]
    right = maximum_matching([[not call.is_error and fits(one, call) for call in tried] for one in expected])
    return {"right_calls": len(right), "reference_tool_calls": len(tried)}


def _subsequence(expected: Sequence[ExpectedCall], calls: Sequence[CallRecord], fits: Fits) -> int:
    """Return how many of the reference calls are found in order; taking each at its first place loses none."""
    found = 0
    for call in calls:
        if found < len(expected) and fits(expected[found], call):
            found += 1
    return found


def _is_of(call: CallRecord, expected: ExpectedCall, tools: ToolIndex) -> bool:
    if call.problem is not None:
        return False
    wanted: tuple[ExpectedCall | SimilarTool, ...] = (expected, *expected.similar_tools)
    return tools.accepts(call, expected) or any(
        _snake(call.called) == _snake(one.tool) and one.server in (None, call.server) for one in wanted
    )


def _snake(name: str) -> str:
    """Return ``SendEmail``, ``sendEmail`` and ``send-email`` as ``send_email``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|-", "_", name).casefold()
