"""Metrics ``answer`` and ``answer_strict``: the final answer equals the reference or passes the task's check."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import AnswerCheck, Task
from pytest_mcpbench.metrics.comparison.answers import parse_number, same_answer, strict_form
from pytest_mcpbench.metrics.comparison.asked_units import same_asked_number, without_asked_name
from pytest_mcpbench.metrics.comparison.math_parser import Node, NotMathematicsError, parse_expression
from pytest_mcpbench.metrics.comparison.standing_answer import expresses_doubt, standing_answer, words_against
from pytest_mcpbench.metrics.judged import background_of
from pytest_mcpbench.metrics.round_limit import excess_rounds
from pytest_mcpbench.metrics.valid_tools import is_valid_tool
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import numbers, with_commas
from pytest_mcpbench.text.vocabulary import numbers_of

_NUMBER = re.compile(
    r"(?<![\w.,])([-+]?\d[\d,]*(?:\.\d+)?)(?![\w,]*\d)\s?((?:k|thousand|million|billion)\b|[万亿])?", re.IGNORECASE
)
_SCALES = numbers_of("scales")


# Checks of an answer in sentences: ``contains``, ``regex``, ``number``, ``one_of``, ``exact``.


def answer_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    """Return why an answer does not pass a check; ``None`` if it passes.

    Texts are compared in NFKC without regard to case and white space. ``contains`` finds whole words only, and no words
    that take the answer back may follow the last of them. ``number`` requires that the answer states no other number
    but those of the request, so "42 or 43" is not 42.
    """
    return _CHECKS[check.kind](check, answer, request)


def _contains_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    del request
    text, end = _plain(answer), 0
    for part in check.contains:
        found = list(re.finditer(rf"(?<!\w){re.escape(_plain(part))}(?!\w)", text))
        if not found:
            return f"{part!r} is not in the answer"
        if all(words_against(text[: each.start()]) for each in found):
            return f"{part!r} is negated or doubted in the answer"
        end = max(end, found[-1].end())
    return "the answer is taken back" if expresses_doubt(text[end:]) else None


def _regex_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    del request
    return None if BoundedPattern(check.regex or "").is_found(answer) else f"the answer does not match {check.regex!r}"


def _number_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    expected = check.number or 0.0
    known = _numbers(request)
    stated = [
        number for number in _numbers(answer, request) if number not in known or _is_near(number, expected, check)
    ]
    # A number in words counts where it is the expected one; elsewhere ``one`` and ``first`` are mostly no values.
    stated += [each.value for each in numbers(answer) if not re.search(r"\d", each.text)][: 0 if stated else None]
    if not any(_is_near(number, expected, check) for number in stated):
        return f"expected the number {expected:g}, got {', '.join(f'{number:g}' for number in stated) or 'none'}"
    others = [number for number in stated if not _is_near(number, expected, check)]
    if others:
        return f"the answer states {', '.join(f'{number:g}' for number in others)} beside {expected:g}"
    return "the answer is taken back" if expresses_doubt(answer) else None


def _one_of_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    del request
    if any(same_answer(choice, answer) for choice in check.one_of):
        return None
    return f"expected one of {', '.join(map(repr, check.one_of))}, got {format_value(answer)}"


def _exact_fault(check: AnswerCheck, answer: str, request: str) -> str | None:
    del request
    return None if answer.strip() == check.exact else f"expected exactly {check.exact!r}, got {format_value(answer)}"


def _is_near(number: float, expected: float, check: AnswerCheck) -> bool:
    return abs(number - expected) <= check.tolerance + 1e-9 * abs(expected)


def _numbers(text: str, request: str = "") -> list[float]:
    """Return the numbers in a text; ``42 thousand`` is 42 if the request asks for thousands."""
    found = []
    for digits, written_scale in _NUMBER.findall(with_commas(text)):
        number, scale = parse_number(digits), written_scale.casefold()
        if number is None:
            continue
        try:
            value = float(number)
        except OverflowError:
            value = math.inf if number > 0 else -math.inf
        is_asked_for = not scale or re.search(rf"(?<![a-z]){scale}s?(?![a-z])", request, re.IGNORECASE)
        found.append(value * (1.0 if is_asked_for else _SCALES[scale]))
    return found


def _plain(text: str) -> str:
    return " ".join(normal_form("NFKC", text).casefold().split())


_CHECKS: Mapping[str, Callable[[AnswerCheck, str, str], str | None]] = {
    "contains": _contains_fault,
    "regex": _regex_fault,
    "number": _number_fault,
    "one_of": _one_of_fault,
    "exact": _exact_fault,
}

# Equality of mathematical expressions as functions of their letters, decided in bounded time.
#
# Both trees are evaluated with 380 digits at fixed real points without structure. Expressions that are different
# functions differ there, and rounded numbers differ from what they stand for; so agreement decides what symbolic
# simplification may take minutes for and cannot be stopped at in a thread. Nothing is evaluated as code.

MOST_EXPONENT = 1000
"""Powers with a larger exponent and factorials of larger numbers are not computed."""

_DIGITS = 380
_AGREEING_DIGITS = 330
"""More than a text of the greatest length can hold, so that long integers are compared to their last digit."""
_SMALLEST = 350
"""Differences below 10^-350 come from rounding."""
_MOST_BITS = 20_000

_POINTS = ("0.73194028461", "1.93175509234", "-1.38715093327", "2.71430981736", "-0.41730928817", "5.20481736155")
_STEP = "0.61803398875"
"""How far the value of each further letter is from the one before."""


def same_mathematics(left: str, right: str) -> bool:
    """Return whether both texts are expressions with equal values wherever both have one; letters are real numbers.

    Equations are compared side by side, in either order; matrices cell by cell.
    """
    try:
        return _same(parse_expression(left), parse_expression(right))
    except (NotMathematicsError, RecursionError):
        return False


def _same(left: Node, right: Node) -> bool:
    if {left.operation, right.operation} & {"equation", "matrix"}:
        if left.operation != right.operation or left.text != right.text or len(left.operands) != len(right.operands):
            return False
        if all(map(_same, left.operands, right.operands)):
            return True
        return left.operation == "equation" and all(map(_same, left.operands, right.operands[::-1]))
    letters = sorted(_letters(left) | _letters(right))
    points = _POINTS if letters else _POINTS[:1]
    agreed = [_agree(left, right, letters, point) for point in points]
    known = [one for one in agreed if one is not None]
    return bool(known) and all(known)


def _letters(node: Node) -> set[str]:
    own = {node.text} if node.operation == "letter" else set()
    return own.union(*(_letters(part) for part in node.operands))


def _agree(left: Node, right: Node, letters: Sequence[str], point: str) -> bool | None:
    """Return whether the values at a point agree; ``None`` if one of them cannot be computed there."""
    # Imported here: only answers to mathematical tasks need it.
    import mpmath  # type: ignore[import-untyped]  # it ships no types

    context = mpmath.MPContext()
    context.dps = _DIGITS
    values = {letter: context.mpf(point) + index * context.mpf(_STEP) for index, letter in enumerate(letters)}
    try:
        first, second = _Evaluator(context, values)(left), _Evaluator(context, values)(right)
    except (ArithmeticError, ValueError, NotImplementedError, mpmath.libmp.NoConvergence):
        return None
    allowed = max(abs(first), abs(second)) * context.mpf(10) ** -_AGREEING_DIGITS
    return bool(abs(first - second) <= max(allowed, context.mpf(10) ** -_SMALLEST))


class _Evaluator:
    """Values of trees in one context at one point."""

    def __init__(self, context: Any, values: dict[str, Any]) -> None:
        self._context = context
        self._values = values
        self._constants = {"pi": +context.pi, "e": +context.e, "i": context.mpc(0, 1)}

    def __call__(self, node: Node) -> Any:
        match node.operation:
            case "number":
                value = self._context.mpf(node.text)
            case "letter":
                value = self._values[node.text]
            case "constant":
                value = self._constants[node.text]
            case operation:
                value = self._operation(operation, node.text, [self(part) for part in node.operands])
        if not self._context.isfinite(value) or (value != 0 and self._context.mag(value) > _MOST_BITS):
            raise ValueError("no finite value of a reasonable size")
        return value

    def _operation(self, operation: str, name: str, values: list[Any]) -> Any:
        match operation:
            case "add":
                return values[0] + values[1]
            case "negate":
                return -values[0]
            case "multiply":
                return values[0] * values[1]
            case "divide":
                return values[0] / values[1]
            case "power":
                return values[0] ** self._check_bound(values[1])
            case "factorial":
                return self._context.factorial(self._check_bound(values[0]))
            case "call":
                return getattr(self._context, {"abs": "fabs"}.get(name, name))(values[0])
        raise ValueError(f"{operation} has no value")

    def _check_bound(self, value: Any) -> Any:
        if abs(value) > MOST_EXPONENT:
            raise ValueError(f"more than {MOST_EXPONENT}")
        return value


MATHEMATICS = frozenset({"math", "maths", "mathematics"})
"""Values of the tags ``category`` and ``domain`` that let expressions be compared as such."""


@dataclass(frozen=True)
class Answer:
    """Score of 1 if the answer that stands equals the reference's; otherwise 0.

    The answer is the text of the last ``<answer>…</answer>``; it does not stand if it is taken back, doubted or one of
    several (:mod:`pytest_mcpbench.metrics.comparison.standing_answer`). It is compared by
    :mod:`pytest_mcpbench.metrics.comparison.answers`; in mathematical tasks, expressions also by
    :mod:`pytest_mcpbench.metrics.answer`. A number may have the unit that the request asks for, or what it counts
    (:mod:`pytest_mcpbench.metrics.comparison.asked_units`). A task with an ``answer_check`` needs no tags: its check is
    applied to the tagged answer or, without tags, to the last message. More rounds than allowed, or a call of a tool
    that is not the task's: 0. A right answer without any tool call passes and is flagged (``tool_omission``).
    """

    rounds: int | None = None
    """Rounds (model calls) after which an answer no longer counts; default: the task's limit."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not expects_answer(task):
            return Score.not_applicable("the task has no reference answer")
        return _score(task, evidence, self.rounds, wrong_answer(task, evidence))


@dataclass(frozen=True)
class AnswerStrict:
    """Score of 1 if the last tagged answer, whatever follows it, equals the reference after trimming and NFKC."""

    rounds: int | None = None
    """As for :class:`Answer`."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        reference = task.expected.answer
        if reference is None:
            return Score.not_applicable("the task has no reference answer")
        answer = tagged_answer(evidence)
        if answer is None:
            return _score(task, evidence, self.rounds, "no answer in <answer>…</answer>")
        is_right = strict_form(reference) == strict_form(answer)
        return _score(task, evidence, self.rounds, _difference(is_right, reference, answer))


def expects_answer(task: Task) -> bool:
    """Return whether the task has a reference answer or a check of the final text."""
    return task.expected.answer is not None or task.expected.answer_check is not None


def wrong_answer(task: Task, evidence: AttemptEvidence) -> str | None:
    """Return why the text of the answer is not right; ``None`` if it is right or the task expects no answer."""
    check, reference = task.expected.answer_check, task.expected.answer
    if check is not None:
        if tagged_answer(evidence) is None:
            return answer_fault(check, evidence.answer, task.prompt)
        answer = standing_answer(_all_text(evidence))
        return answer.problem or answer_fault(check, answer.text or "", task.prompt)
    if reference is None:
        return None
    answer = standing_answer(_all_text(evidence))
    if answer.problem:
        return answer.problem
    is_right = False
    if answer.text is not None:
        known = background_of(task, evidence)
        plain = without_asked_name(answer.text, known.request)
        is_mathematical = any(task.tags.get(tag, "").casefold() in MATHEMATICS for tag in ("category", "domain"))
        same_expression = same_mathematics if is_mathematical else None
        is_right = same_answer(reference, plain, same_expression) or same_asked_number(
            reference, plain, known.request, known.results
        )
    return _difference(is_right, reference, answer.text)


def tagged_answer(evidence: AttemptEvidence) -> str | None:
    """Return the text of the last ``<answer>…</answer>`` in the agent's messages; ``None`` without one."""
    text = _all_text(evidence)
    lowered = text.lower()
    end = lowered.rfind("</answer>")
    start = lowered.rfind("<answer>", 0, max(end, 0))
    return text[start + len("<answer>") : end].strip() if start >= 0 else None


def _all_text(evidence: AttemptEvidence) -> str:
    return "\n".join(step.said for step in evidence.trajectory.steps)


def last_text(evidence: AttemptEvidence) -> str:
    """Return the last text, which may have tags; all of the text if the last one alone has another answer."""
    text = _all_text(evidence)
    return evidence.answer if standing_answer(evidence.answer) == standing_answer(text) else text


def untagged_answer(evidence: AttemptEvidence) -> str:
    """Return the answer for formats that store it without its tags; empty if nothing is between tags.

    All of the text is returned if the tagged answer does not stand, which the text says why.
    """
    tagged, text = tagged_answer(evidence), _all_text(evidence)
    if tagged is None:
        return ""
    return tagged if standing_answer(text).text == tagged else text


def _difference(is_right: bool, reference: str, answer: str | None) -> str | None:
    return None if is_right else f"expected {format_value(reference)}, got {format_value(answer)}"


def _score(task: Task, evidence: AttemptEvidence, rounds: int | None, fault: str | None) -> Score:
    # Even a right answer does not count after too many rounds, or beside a call of another tool.
    problem = excess_rounds(task, evidence, rounds)
    if not problem:
        wrong = next((call for call in evidence.calls if not is_valid_tool(task, call, evidence)), None)
        problem = f"{wrong.name} was called, which is not a tool of the task" if wrong else fault
    if problem is not None:
        return Score.of(0.0, [problem], tool_omission=0)
    omitted = [] if evidence.calls else ["tool_omission: the answer is right, and no tool was called"]
    return Score.of(1.0, omitted, tool_omission=len(omitted))
