"""Replacement of values that differ at each call, such as times, so that a response can be compared with a snapshot."""

import re
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.text.bounded_pattern import pattern_fault

Sanitizer = str | tuple[str, str]
"""Name of a built-in sanitizer, a regular expression, or a regular expression with its replacement."""

BUILT_IN = {
    "uuid": r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
    "datetime": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?",
    "date": r"\b\d{4}-\d\d-\d\d\b",
    "time": r"\b\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\b",
    "epoch": r"\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b",
    "duration": r"\b\d+(?:\.\d+)? ?(?:ms|seconds?|sec|s)\b",
}
"""Names of the built-in sanitizers, with their patterns; each match becomes ``<name>``."""


def sanitize(value: Any, sanitizers: Iterable[Sanitizer]) -> Any:
    """Return JSON with every match in a text, or in a number as a whole, replaced; names of members stay.

    Raises:
        ValueError: a regular expression is wrong.
    """
    rules: list[_Rule] = []
    for sanitizer in sanitizers:
        if isinstance(sanitizer, str):
            name = sanitizer if sanitizer in BUILT_IN else "sanitized"
            pattern, replacement = BUILT_IN.get(sanitizer, sanitizer), f"<{name}>"
        else:
            pattern, replacement = sanitizer
        if fault := pattern_fault(pattern):
            raise ValueError(f"a sanitizer is neither one of {', '.join(BUILT_IN)} nor a regular expression: {fault}")
        rules.append((re.compile(pattern), replacement))
    return _sanitized(value, rules) if rules else value


_Rule = tuple[re.Pattern[str], str]


def _sanitized(value: Any, rules: list[_Rule]) -> Any:
    if isinstance(value, dict):
        return {key: _sanitized(part, rules) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_sanitized(part, rules) for part in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return next((replacement for pattern, replacement in rules if pattern.fullmatch(str(value))), value)
    for pattern, replacement in rules:
        value = pattern.sub(replacement, value)
    return value
