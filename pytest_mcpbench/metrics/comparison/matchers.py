"""Matchers of single arguments: a regular expression, a number with a tolerance, a choice, any value, or none.

A regular expression matches the complete text, with regard to case. ``near`` includes its bounds. The choices of
``one_of`` are compared as any other argument.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.task import ArgumentMatcher, ExpectedCall
from pytest_mcpbench.metrics.comparison.arguments import RELATIVE_TOLERANCE, Equality, is_number
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.json_reading import Location, replace_at, value_at, without


def resolve_matchers(expected: ExpectedCall, actual: dict[str, Any], equality: Equality = Equality()) -> ExpectedCall:  # noqa: B008  # frozen
    """Return the reference call as it is compared with a call's arguments.

    Where a matcher accepts the call's value, the reference gets that value; elsewhere the matcher itself, which no
    value equals.
    """
    arguments = settle(expected.arguments, expected.matchers, actual, equality)
    return expected if not expected.matchers else expected.model_copy(update={"arguments": arguments})


def settle(
    expected: Mapping[str, Any], matchers: Iterable[ArgumentMatcher], actual: Mapping[str, Any], equality: Equality
) -> dict[str, Any]:
    """Return a reference's arguments with the actual values that matchers accept; elsewhere with the matchers."""
    arguments = dict(expected)
    for matcher in matchers:
        value = _value_of(actual, matcher.at)
        if value is not ABSENT and accepts(matcher, value, equality):
            arguments = _with(arguments, matcher.at, value)
        elif matcher.ignore:
            arguments = without(arguments, matcher.at)
        else:
            arguments = _with(arguments, matcher.at, matcher)
    return arguments


def accepts(matcher: ArgumentMatcher, value: Any, equality: Equality = Equality()) -> bool:  # noqa: B008  # frozen
    """Return whether a matcher accepts a value."""
    if matcher.any or matcher.ignore:
        return True
    if matcher.regex is not None:
        return isinstance(value, str) and BoundedPattern(matcher.regex).matches_all_of(value)
    if matcher.near is not None:
        if not is_number(value):
            return False
        # A bound such as 10.1 - 10 <= 0.1 is met, although the difference of the two floats is a little more.
        slack = RELATIVE_TOLERANCE * max(abs(matcher.near), matcher.within)
        try:
            return bool(abs(value - matcher.near) <= matcher.within + slack)
        except OverflowError:  # an integer beyond the range of floats
            return False
    return any(equality.same(choice, value) for choice in matcher.one_of)


def are_accepted(matchers: Iterable[ArgumentMatcher], arguments: dict[str, Any], location: Location) -> bool:
    """Return whether a matcher for this location, or for a part that contains it, accepts the value there."""
    responsible = [matcher for matcher in matchers if matcher.at == location[: len(matcher.at)]]
    return any(accepts(matcher, _value_of(arguments, matcher.at)) for matcher in responsible)


def _with(arguments: dict[str, Any], at: Location, value: Any) -> dict[str, Any]:
    settled: dict[str, Any] = replace_at(arguments, at, value)
    return settled


def _value_of(arguments: Any, at: Location) -> Any:
    try:
        return value_at(arguments, at)
    except LookupError:
        return ABSENT
