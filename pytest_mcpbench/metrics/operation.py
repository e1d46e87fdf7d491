"""Metric ``operation``: the calls have the same effect as the reference's, in its order (MCP-RADAR 4.2, fuzzy match).

Every key of the reference must be there, others are ignored unless they add a text or a recipient; one value is a list
of one; addresses of e-mail are casefolded, paths normalised, dates and times parsed; an edit may repeat more of the
text around what it replaces. Other text is equal after NFC and trimming, and case counts.
"""

import html
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mcpbench.core.call_text import format_call, format_reference
from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import JUDGE_NEEDED, Question, Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.argument_judge import SAME, argument_question
from pytest_mcpbench.metrics.call_scores import NO_REFERENCE
from pytest_mcpbench.metrics.comparison.arguments import ArgumentDifference, is_number, same_number
from pytest_mcpbench.metrics.comparison.calls import WHY_REFUSED, CallMatching, Mismatch, matching_of
from pytest_mcpbench.metrics.comparison.matchers import resolve_matchers
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.round_limit import excess_rounds
from pytest_mcpbench.text.forms import same_form
from pytest_mcpbench.text.moments import end_same_day, looks_like_moment, parse_datetime, same_moment, time_zone
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.paths import same_file
from pytest_mcpbench.text.words import casefolded_words, snake_case

FREE_TEXT = frozenset({"subject", "body", "htmlBody", "notes", "content"})
"""Keys whose text may be worded freely, unless the suite declares others."""

_RECIPIENTS = frozenset({"cc", "bcc"})
_HEADINGS = frozenset({"subject", "title"})
"""Free texts that say nothing by themselves."""


@dataclass(frozen=True)
class OperationValues:
    """Comparison of arguments; see the module."""

    free_text: frozenset[str] = FREE_TEXT
    """Keys, at any depth, whose text only has to satisfy ``is_fine``."""
    is_fine: Callable[[str, str], bool] = lambda _reference, text: bool(text.strip())
    """True if a free text will do beside the reference's; by default: it is not empty."""
    sets: frozenset[str] = frozenset()
    """Keys, at any depth, whose lists have no order."""
    root: str = ""
    """Directory that relative paths and ``~`` refer to, so that they equal absolute paths."""
    zone: str = ""
    """IANA name of the time zone of times without an offset; if none is given, their clock times are compared."""

    def differences(
        self, reference: Mapping[str, Any], actual: Mapping[str, Any], optional: Collection[str] = ()
    ) -> tuple[ArgumentDifference, ...]:
        """Return the differences in effect between the arguments; ``optional`` keys may be absent."""
        found = (
            difference
            for key, value in reference.items()
            if key in actual or key not in optional
            for difference in self._of_key(key, key, value, actual.get(key, ABSENT))
        )
        return (*found, *self._additions("", reference, actual))

    def _additions(
        self, path: str, reference: Mapping[str, Any], actual: Mapping[str, Any]
    ) -> Iterator[ArgumentDifference]:
        """Yield further recipients, and further texts unless they repeat another text of the call as HTML."""
        given = [value for key, value in actual.items() if key in reference and isinstance(value, str)]
        texts = set(map(casefolded_words, given))
        for key, value in actual.items():
            if key in reference or key in _HEADINGS or not value:
                continue
            is_text = key in self.free_text and isinstance(value, str)
            if key in _RECIPIENTS or (
                is_text and casefolded_words(html.unescape(re.sub(r"<[^<>]*>", " ", value))) not in texts
            ):
                yield ArgumentDifference(f"{path}{key}", ABSENT, value)

    def _of_key(self, key: str, path: str, expected: Any, actual: Any) -> Iterator[ArgumentDifference]:
        if actual is ABSENT:
            yield ArgumentDifference(path, expected, ABSENT)
            return
        if key in self.free_text and isinstance(expected, str):
            if not isinstance(actual, str) or (expected.strip() and not self.is_fine(expected, actual)):
                yield ArgumentDifference(path, expected, actual)
            return
        if isinstance(expected, list) != isinstance(actual, list):
            expected, actual = _as_list(expected), _as_list(actual)
        if isinstance(expected, list):
            yield from self._of_lists(key, path, expected, actual)
        elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
            if _replaced_part(expected) == _replaced_part(actual) != ():
                return
            for inner, value in expected.items():
                yield from self._of_key(inner, f"{path}.{inner}", value, actual.get(inner, ABSENT))
            yield from self._additions(f"{path}.", expected, actual)
        elif not same_operand(expected, actual, self.zone) and not self._is_same_place(expected, actual):
            yield ArgumentDifference(path, expected, actual)

    def _is_same_place(self, expected: Any, actual: Any) -> bool:
        if not self.root or not (isinstance(expected, str) and isinstance(actual, str) and expected and actual):
            return False
        return same_file(self._absolute_path(expected), self._absolute_path(actual))

    def _absolute_path(self, path: str) -> str:
        """Return the absolute path; URLs and text of several lines are returned unchanged."""
        if path.startswith("/") or "://" in path or "\n" in path:
            return path
        return f"{self.root}/{path.removeprefix('~').lstrip('/')}"

    def _of_lists(self, key: str, path: str, expected: list[Any], actual: list[Any]) -> Iterator[ArgumentDifference]:
        if len(expected) != len(actual):
            yield ArgumentDifference(path, expected, actual)
        elif key in self.sets:
            if not self._has_same_items(key, expected, actual):
                yield ArgumentDifference(path, expected, actual)
        else:
            for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                yield from self._of_key(key, f"{path}[{index}]", one, other)

    def _has_same_items(self, key: str, expected: list[Any], actual: list[Any]) -> bool:
        left = list(actual)
        for one in expected:
            found = next((i for i, other in enumerate(left) if not any(self._of_key(key, key, one, other))), None)
            if found is None:
                return False
            del left[found]
        return True


def same_operand(expected: Any, actual: Any, zone: str = "") -> bool:
    """Return whether two scalars have the same effect; ``zone`` is that of times without an offset."""
    if isinstance(expected, str) and isinstance(actual, str):
        expected, actual = _trim(expected), _trim(actual)
        of_zone = time_zone(zone)
        if expected == actual or same_file(expected, actual) or same_form(expected, actual, of_zone):
            return True
        if not (looks_like_moment(expected) and looks_like_moment(actual)):
            return False
        first, second = parse_datetime(expected), parse_datetime(actual)
        if first is None or second is None:
            return False
        return same_moment(first, second, of_zone) or end_same_day(first, second, of_zone)
    if is_number(expected) and is_number(actual):
        return same_number(expected, actual)
    return type(expected) is type(actual) and bool(expected == actual)


def rouge_l(reference: str, text: str) -> float:
    """Return ROUGE-L (Lin 2004): F1 of the longest common subsequence of words.

    A reference without words (the subject ``"."`` of MCP-RADAR's example) asks for any text: 1 if there is one.
    """
    first, second = casefolded_words(reference), casefolded_words(text)
    if not first or not second:
        return float(not first and (bool(text.strip()) or not reference.strip()))
    row = [0] * (len(second) + 1)
    for word in first:
        before = row
        row = [0]
        for index, other in enumerate(second):
            row.append(before[index] + 1 if word == other else max(before[index + 1], row[-1]))
    common = row[-1]
    return 2 * common / (len(first) + len(second))


def _replaced_part(edit: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what an edit of a text replaces, and by what, without what it repeats around them; empty for no edit."""
    old, new = edit.get("oldText"), edit.get("newText")
    if len(edit) != 2 or not isinstance(old, str) or not isinstance(new, str):
        return ()
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    return old[start : len(old) - end], new[start : len(new) - end]


def _common(text: str, other: str) -> int:
    """Return the length of the beginning that two texts share."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _trim(text: str) -> str:
    return normal_form("NFC", text).strip()


Fits = Callable[[ExpectedCall, CallRecord], bool]


@dataclass(frozen=True)
class Operation:
    """Score of 1 if the reference calls are, in order, among the calls that succeeded; otherwise 0.

    More rounds than allowed: 0, as for ``answer``. Calls between them do not count (``mode = "exact"``: there may be
    none). Names of tools are compared after ``SendEmail`` → ``send_email``. Arguments that the reference lacks do not
    count, unless they add a text or a recipient; paths, addresses, dates and times are compared by meaning (a day ends
    at 23:59, at 23:59:59 or at the next midnight), an edit by what it replaces (it may repeat more of the text around
    that), other text without the space around it.
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
    zone: str = ""
    """IANA name of the time zone of the task's times, such as ``UTC``: with it, any offset may be written."""
    rounds: int | None = None
    """Rounds (model calls) after which an operation no longer counts; default: the task's limit."""

    def __post_init__(self) -> None:
        time_zone(self.zone)

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return questions about the free texts of calls that otherwise match."""
        if self.text != "judge":
            return ()
        fits = self._fits(evidence)
        calls = [call for call in evidence.calls if not call.is_error]
        pairs = [(expected, call) for expected in task.expected.flat_calls for call in calls if fits(expected, call)]
        questions = (one for pair in pairs for one in self._argument_questions(task, *pair))
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
            return Score.missing(JUDGE_NEEDED, "needs_reader")
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
    ) -> tuple[ArgumentDifference, ...]:
        """Return the differences; with a judge, including the free texts that it did not accept."""
        found = _differences(self._values(), reference, call)
        if found or self.text != "judge":
            return found
        worded = _differences(self._identical_texts(), reference, call)
        return tuple(each for each in worded if argument_question(task, reference, each).key not in accepted)

    def _score(self, task: Task, evidence: AttemptEvidence, fits: Fits) -> Score:
        expected, calls = task.expected.flat_calls, [call for call in evidence.calls if not call.is_error]
        # Taking each reference call at its first place finds the most.
        found = 0
        for call in calls:
            if found < len(expected) and fits(expected[found], call):
                found += 1
        reasons = self._reasons(expected[found:], evidence) if found < len(expected) else []
        if self.mode == "exact" and len(calls) != len(expected):
            reasons.append(f"{len(calls)} calls succeeded, {len(expected)} are expected")
        if excess := excess_rounds(task, evidence, self.rounds):
            reasons.insert(0, excess)
        counts = {"matched": found, "expected": len(expected), "called": len(evidence.calls), "succeeded": len(calls)}
        # The right calls in any order, and all calls of tools that the reference has (MCP-RADAR Table 4).
        tools = ToolIndex.of(evidence.tools)
        tried = [call for call in evidence.calls if any(_is_of(call, one, tools) for one in expected)]
        right = maximum_matching([[not call.is_error and fits(one, call) for call in tried] for one in expected])
        return Score.of(float(not reasons), reasons, **counts, right_calls=len(right), reference_tool_calls=len(tried))

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
                self.free_text,
                lambda reference, text: rouge_l(reference, text) >= self.rouge,
                self.sets,
                self.root,
                self.zone,
            )
        return OperationValues(self.free_text, sets=self.sets, root=self.root, zone=self.zone)

    def _identical_texts(self) -> OperationValues:
        return OperationValues(
            self.free_text, lambda reference, text: reference == text, self.sets, self.root, self.zone
        )

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

    def _argument_questions(self, task: Task, expected: ExpectedCall, call: CallRecord) -> list[Question]:
        worded = _differences(self._identical_texts(), expected, call)
        return [argument_question(task, expected, difference) for difference in worded]


def _accepted(verdicts: Mapping[str, Verdict | None]) -> set[str]:
    return {key for key, verdict in verdicts.items() if verdict and verdict.label == SAME}


def _differences(values: OperationValues, expected: ExpectedCall, call: CallRecord) -> tuple[ArgumentDifference, ...]:
    reference = resolve_matchers(expected, call.arguments).arguments
    return values.differences(reference, call.arguments, expected.optional)


def _is_of(call: CallRecord, expected: ExpectedCall, tools: ToolIndex) -> bool:
    if call.problem is not None:
        return False
    wanted: tuple[ExpectedCall | SimilarTool, ...] = (expected, *expected.similar_tools)
    return tools.accepts(call, expected) or any(
        snake_case(call.called) == snake_case(one.tool) and one.server in (None, call.server) for one in wanted
    )
