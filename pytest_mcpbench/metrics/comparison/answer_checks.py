"""Checks of a final answer that is written in sentences: ``contains``, ``regex``, ``number``, ``one_of``, ``exact``."""

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from pytest_mcpbench.core.bounded_pattern import BoundedPattern
from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.task import AnswerCheck
from pytest_mcpbench.core.unicode_forms import normal_form
from pytest_mcpbench.metrics.comparison.answers import parse_number, same_answer
from pytest_mcpbench.metrics.comparison.standing_answer import expresses_doubt, words_against

_NUMBER = re.compile(
    r"(?<![\w.,])([-+]?\d[\d,]*(?:\.\d+)?)(?![\w,]*\d)\s?((?:k|thousand|million|billion)\b|[万亿])?", re.IGNORECASE
)
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9, "万": 1e4, "亿": 1e8}


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
    parsed = ((parse_number(digits), scale.casefold()) for digits, scale in _NUMBER.findall(text))
    return [
        _as_float(number) * (1.0 if _is_asked_for(scale, request) else _SCALES[scale])
        for number, scale in parsed
        if number is not None
    ]


def _as_float(number: Fraction) -> float:
    """Return a number, infinite if it is too large for a float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _is_asked_for(scale: str, request: str) -> bool:
    return not scale or re.search(rf"(?<![a-z]){scale}s?(?![a-z])", request, re.IGNORECASE) is not None


def _plain(text: str) -> str:
    return " ".join(normal_form("NFKC", text).casefold().split())


_CHECKS: Mapping[str, Callable[[AnswerCheck, str, str], str | None]] = {
    "contains": _contains_fault,
    "regex": _regex_fault,
    "number": _number_fault,
    "one_of": _one_of_fault,
    "exact": _exact_fault,
}
