"""Named comparators for values with several spellings: ``path``, ``url``, ``datetime``, …."""

import functools
import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from pytest_mcpbench.text.forms import normal_email
from pytest_mcpbench.text.moments import parse_datetime, same_moment
from pytest_mcpbench.text.paths import normal_path, normal_url
from pytest_mcpbench.text.words import casefolded_words

ComparatorName = Literal["path", "url", "datetime", "email", "coordinates", "text"]

COORDINATE_TOLERANCE_DEGREES = 0.1
"""Coordinates agree up to their first decimal place (MCPToolBench++, the released evaluator's prompt)."""

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def _without_errors(comparator: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a comparator that takes unreadable values for different: a model may write anything."""

    @functools.wraps(comparator)
    def compare(left: Any, right: Any) -> bool:
        try:
            return comparator(left, right)
        except (ValueError, OverflowError, RecursionError):
            return False

    return compare


@_without_errors
def same_path(left: Any, right: Any) -> bool:
    """Compare paths after normalisation: ``./a//b/`` equals ``a/b``. Backslashes are separators; case counts."""
    return _both_text(left, right) and normal_path(left) == normal_path(right)


@_without_errors
def same_url(left: Any, right: Any) -> bool:
    """Compare URLs, ignoring case of scheme and host, default port, missing scheme, final slash and query order."""
    return _both_text(left, right) and normal_url(left) == normal_url(right)


@_without_errors
def same_datetime(left: Any, right: Any) -> bool:
    """Compare moments, or clock times if an offset is missing; numbers are seconds or milliseconds since 1970."""
    first, second = parse_datetime(left), parse_datetime(right)
    return first is not None and second is not None and same_moment(first, second)


@_without_errors
def same_email(left: Any, right: Any) -> bool:
    """Compare values of a parameter for e-mail addresses, ignoring case, ``mailto:`` and display names.

    Unlike the function of ``text/forms.py`` it takes any texts, such as ``me`` and ``Me``.
    """
    return _both_text(left, right) and normal_email(left) == normal_email(right)


@_without_errors
def same_coordinates(left: Any, right: Any) -> bool:
    """Compare numbers in order, each within :data:`COORDINATE_TOLERANCE_DEGREES`; from text, lists or objects."""
    first, second = _numbers(left), _numbers(right)
    if not first or len(first) != len(second):
        return False
    return all(abs(a - b) <= COORDINATE_TOLERANCE_DEGREES for a, b in zip(first, second, strict=True))


@_without_errors
def same_text(left: Any, right: Any) -> bool:
    """Compare the words of two texts, ignoring case, punctuation and spaces."""
    return _both_text(left, right) and casefolded_words(left) == casefolded_words(right)


COMPARATORS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "path": same_path,
        "url": same_url,
        "datetime": same_datetime,
        "email": same_email,
        "coordinates": same_coordinates,
        "text": same_text,
    }
)


def _both_text(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        try:
            return [float(value)]
        except OverflowError:  # an integer beyond the range of floats, which is no coordinate
            return [math.inf]
    if isinstance(value, str):
        return [float(number) for number in _NUMBER.findall(value)]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [number for part in parts for number in _numbers(part)]
