"""Comparison of actual calls with reference calls (MCPToolBench++ 4.1.1, after Patil et al., BFCL).

Two profiles. ``strict``: required parameters present, none outside the called tool's schema, JSON-schema types, values
equal; a default may be left out or spelt out. ``lenient``: parameters that only one side gives do not count where they
are optional, and a suite may declare how single parameters are compared.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pytest_mcpbench.core.call_text import format_call, format_reference, format_value
from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.task import ArgumentMatcher, ExpectedCall
from pytest_mcpbench.core.tool import CallProblem, CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.comparison.arguments import ArgumentDifference, Equality, has_placeholder
from pytest_mcpbench.metrics.comparison.comparators import ComparatorName
from pytest_mcpbench.metrics.comparison.lookups import finds
from pytest_mcpbench.metrics.comparison.matchers import resolve_matchers, settle
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.comparison.references import ObtainedResults, result_ids
from pytest_mcpbench.metrics.comparison.schema import Parameters, TypeChecker, coerce, parameters, type_checker

Profile = Literal["strict", "lenient"]
WHY_REFUSED: Mapping[CallProblem, str] = {
    "malformed_arguments": "the arguments are not a JSON object",
    "unknown_tool": "no server offers the tool",
    "not_exposed": "the tool was not exposed",
    "not_loaded": "the tool had not been found by a search",
}
"""Reasons why refused calls never match a reference call."""


@dataclass(frozen=True)
class Mismatch:
    """One reason why a call is not the reference call."""

    reason: str
    difference: ArgumentDifference | None = None
    """The differing values; ``None`` for other reasons."""
    is_other_tool: bool = False
    is_too_early: bool = False
    """True if the call refers to a result that had not been obtained."""

    def __str__(self) -> str:
        return self.reason


class Comparer(Protocol):
    """A way to compare a call with a reference call."""

    def mismatches(
        self, expected: ExpectedCall, call: CallRecord, tools: ToolIndex, placeholders: frozenset[str]
    ) -> tuple[Mismatch, ...]: ...


@dataclass(frozen=True)
class CallComparison:
    """Comparison of one call with one reference call."""

    profile: Profile = "strict"
    sets: frozenset[str] = frozenset()
    """Parameters whose lists have no order, by dotted name."""
    comparators: Mapping[str, ComparatorName] = field(default_factory=dict)
    """Parameter, by dotted name -> how its text is compared; ``lenient`` only."""
    exact: frozenset[str] = frozenset()
    """Parameters whose text is compared character by character, by dotted name."""
    unordered: frozenset[str] = frozenset()
    """Parameters whose lists have no order but whose repetitions count, by dotted name."""
    lookups: frozenset[str] = frozenset()
    """Parameters that say what a search looks for, or for how much of it, by name: other values are right if the call
    finds what the reference's call found."""
    zone: str = ""
    """IANA name of the time zone of times without an offset."""
    request: str = ""
    """Text of the task, which dictates what it contains."""

    def __post_init__(self) -> None:
        if self.comparators and self.profile != "lenient":
            raise ValueError(f"comparators belong to the profile 'lenient'; this one is {self.profile!r}")

    def mismatches(
        self,
        expected: ExpectedCall,
        call: CallRecord,
        tools: ToolIndex,
        placeholders: frozenset[str] = frozenset(),
    ) -> tuple[Mismatch, ...]:
        """Return the reasons why the call does not match the reference call; empty if it does.

        ``placeholders`` are the ids by which reference calls refer to each other's results.
        """
        if not tools.accepts(call, expected):
            return (Mismatch(f"{call.called} was called, not {expected.tool}", is_other_tool=True),)
        if call.problem is not None:
            return (Mismatch(WHY_REFUSED[call.problem]),)
        equality = Equality(
            self.sets, self.comparators, placeholders, self.exact, self.unordered, self.zone, self.request
        )
        settled = resolve_matchers(expected, call.arguments, equality)
        found = tuple(_Pair.of(settled, call, tools, equality, self.profile).mismatches())
        places = [each.difference.path if each.difference else None for each in found]
        if not places or not self.lookups.issuperset(places) or expected.result is None or call.result is None:
            finds_the_same = False
        else:
            finds_the_same = not call.result.is_error and finds(expected.result, call.result.text)
        return () if finds_the_same else found


@dataclass(frozen=True)
class _Pair:
    """A reference call and a call of a tool that it names."""

    expected: Mapping[str, Any]
    actual: Mapping[str, Any]
    schema: Mapping[str, Any]
    parameters: Parameters
    violations: TypeChecker
    compared: frozenset[str]
    optional: frozenset[str]
    matchers: tuple[ArgumentMatcher, ...]
    """Matchers of arguments, whose values need not be the reference's, but of the tool's type."""
    equality: Equality
    is_lenient: bool

    @classmethod
    def of(
        cls, expected: ExpectedCall, call: CallRecord, tools: ToolIndex, equality: Equality, profile: Profile
    ) -> "_Pair":
        called = tools.tool_of_call(call)
        schema = called.input_schema if called else {}
        known = parameters(schema)
        compared = frozenset(expected.arguments) | frozenset(call.arguments)
        if tools.similar_tool_of_call(call, expected) is not None:
            # The parameters of both tools' schemas; an unknown schema is replaced by the reference's arguments.
            reference = tools.tool_of_reference(expected.tool, expected.server)
            of_reference = parameters(reference.input_schema) if reference else Parameters()
            compared &= frozenset(of_reference.properties if of_reference.are_known else expected.arguments)
            if known.are_known:
                compared &= frozenset(known.properties)
        return cls(
            expected=expected.arguments,
            actual=call.arguments,
            schema=schema,
            parameters=known,
            violations=type_checker(schema),
            compared=compared,
            optional=expected.optional,
            matchers=expected.matchers,
            equality=equality,
            is_lenient=profile == "lenient",
        )

    def mismatches(self) -> Iterator[Mismatch]:
        for name in sorted(self.parameters.required - self.actual.keys()):
            yield Mismatch(f"the required parameter {name!r} is missing")
        for name in self.actual:
            if self._is_outside(name):
                too = ", although the reference has it too" if name in self.expected else ""
                yield Mismatch(f"{name!r} is not a parameter of the tool{too}")
        for name in {**self.expected, **self.actual}:
            if self._is_outside(name):
                continue
            if name not in self.compared:
                # A parameter that only a similar tool has. With an option of its own (``force``, ``recursive``) it does
                # something else, unless the argument must be given or is the default.
                yield from self._wrong_type(name) if name in self.expected else self._added_argument(name)
            elif name not in self.actual:
                yield from self._missing_argument(name)
            elif name not in self.expected:
                yield from self._added_argument(name)
            else:
                yield from self._argument_value(name)

    def _is_outside(self, name: str) -> bool:
        known = self.parameters
        return name in self.actual and known.are_known and not known.accepts_others and name not in known.properties

    def _missing_argument(self, name: str) -> Iterator[Mismatch]:
        if name in self.parameters.required or name in self.optional:
            return
        expected = self.expected[name]
        if isinstance(expected, ArgumentMatcher):
            yield from self._missing_match(name, expected)
            return
        if self.is_lenient and self.parameters.are_known:
            return
        if self._matchers_of(name):
            yield from self._missing_match(name, expected)
            return
        if self._is_default(name, self._coerce(name, expected) if self._violates(name, expected) else expected):
            return
        yield _difference_mismatch(ArgumentDifference(name, expected, ABSENT))

    def _missing_match(self, name: str, expected: Any) -> Iterator[Mismatch]:
        """Yield a mismatch unless the matchers of a parameter or its parts accept its default; ``any`` asks for one."""
        asks_for_presence = isinstance(expected, ArgumentMatcher) and expected.any
        for default in () if asks_for_presence else self.parameters.default(name):
            settled = settle({name: expected}, self._matchers_of(name), {name: default}, self.equality)
            if not self.equality.differences(name, settled[name], default):
                return
        yield _difference_mismatch(ArgumentDifference(name, expected, ABSENT))

    def _matchers_of(self, name: str) -> list[ArgumentMatcher]:
        return [matcher for matcher in self.matchers if matcher.at[0] == name]

    def _added_argument(self, name: str) -> Iterator[Mismatch]:
        wrong_type = self._wrong_type(name)
        if wrong_type:
            yield from wrong_type
            return
        if self.is_lenient or name in self.parameters.required or self._is_default(name, self.actual[name]):
            return
        default = self.parameters.default(name)
        usual = f"; only its default {format_value(default[0])} may be added" if default else ""
        yield Mismatch(
            f"{name}: the reference does not give it, got {format_value(self.actual[name])}{usual}",
            ArgumentDifference(name, ABSENT, self.actual[name]),
        )

    def _is_default(self, name: str, value: Any) -> bool:
        defaults = (self._coerce(name, default) for default in self.parameters.default(name))
        return any(not self.equality.differences(name, default, value) for default in defaults)

    def _argument_value(self, name: str) -> Iterator[Mismatch]:
        expected, actual = self.expected[name], self.actual[name]
        if self._matchers_of(name):
            yield from self._wrong_type(name) or map(
                _difference_mismatch, self.equality.differences(name, expected, actual)
            )
            return
        if self._violates(name, expected):
            expected, actual = self._coerce(name, expected), self._coerce(name, actual)
        # A reference that no coercion brings into its schema is compared as it is: else not even its copy would do.
        wrong_type = () if self._violates(name, expected) else self._type_faults(name, actual)
        yield from map(Mismatch, wrong_type)
        if not wrong_type:
            yield from map(_difference_mismatch, self.equality.differences(name, expected, actual))

    def _wrong_type(self, name: str) -> tuple[Mismatch, ...]:
        return tuple(map(Mismatch, self._type_faults(name, self.actual[name]))) if name in self.actual else ()

    def _violates(self, name: str, expected: Any) -> bool:
        return not has_placeholder(expected, self.equality.placeholders) and bool(self._type_faults(name, expected))

    def _type_faults(self, name: str, value: Any) -> tuple[str, ...]:
        return self.violations(name, value) if self.schema else ()

    def _coerce(self, name: str, value: Any) -> Any:
        return coerce(value, self.parameters.properties.get(name), self.schema)


def _difference_mismatch(difference: ArgumentDifference) -> Mismatch:
    return Mismatch(str(difference), difference)


@dataclass(frozen=True)
class CallMatching:
    """Reference calls paired with calls, as many as can be; make it with :func:`match_calls`."""

    expected: tuple[ExpectedCall, ...]
    calls: tuple[CallRecord, ...]
    mismatches: tuple[tuple[tuple[Mismatch, ...], ...], ...]
    """``mismatches[reference][call]``: why the two are not the same; empty if they are."""
    pairs: Mapping[int, int]
    """Index of a reference call -> index of the call that it is paired with."""

    @property
    def missing(self) -> tuple[int, ...]:
        """Return reference calls without a call."""
        return tuple(index for index in range(len(self.expected)) if index not in self.pairs)

    @property
    def extra(self) -> tuple[int, ...]:
        """Return calls without a reference."""
        paired = set(self.pairs.values())
        return tuple(index for index in range(len(self.calls)) if index not in paired)

    def nearest(self) -> dict[int, int]:
        """Map unmatched reference calls to the most similar unmatched call of an accepted tool."""
        found: dict[int, int] = {}
        left = list(self.extra)
        for reference in self.missing:
            row = self.mismatches[reference]
            candidates = [index for index in left if not any(mismatch.is_other_tool for mismatch in row[index])]
            if candidates:
                found[reference] = min(candidates, key=lambda index: len(self.mismatches[reference][index]))
                left.remove(found[reference])
        return found

    def reasons(self, *, with_extra: bool = True) -> tuple[str, ...]:
        """Return a sentence for each unmatched reference call and, if requested, each unmatched call."""
        nearest = self.nearest()
        missing = []
        for reference in self.missing:
            sentence = f"no call of {format_reference(self.expected[reference])}"
            if (index := nearest.get(reference)) is not None:
                wrong = "; ".join(map(str, self.mismatches[reference][index]))
                sentence += f"; call {index + 1}: {wrong}"
            missing.append(sentence)
        extra = [
            f"call {index + 1} is not expected: {format_call(self.calls[index])}"
            for index in self.extra
            if index not in nearest.values()
        ]
        return tuple(missing + extra) if with_extra else tuple(missing)


def match_calls(
    expected: Sequence[ExpectedCall], calls: Sequence[CallRecord], tools: ToolIndex, comparison: Comparer
) -> CallMatching:
    """Pair reference calls with calls by maximum matching, whatever their order.

    An argument that refers to another call's result (``<1_result.id>``) must be the value that an earlier call, equal
    to that reference call, really returned. Where the result does not have the path, any value that is not empty will
    do: then nobody can know it.
    """
    return _match_calls(_Inputs(tuple(expected), tuple(calls), tools, comparison))


@dataclass(frozen=True, eq=False)
class _Inputs:
    """Everything that decides a matching, equal to other inputs if it has the same calls and tools.

    The same objects, because equal ones can differ: an argument of 1 equals one of ``True``.
    """

    expected: tuple[ExpectedCall, ...]
    calls: tuple[CallRecord, ...]
    tools: ToolIndex
    comparison: Comparer

    @functools.cached_property
    def _identity(self) -> tuple[int, ...]:
        own_names = (len(self.expected), len(self.calls), *map(len, self.tools.by_own_name.values()))
        tools = itertools.chain(self.tools.by_exposed_name.values(), *self.tools.by_own_name.values())
        return (*own_names, *map(id, itertools.chain(self.expected, self.calls, tools)))

    def __hash__(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Inputs):
            return NotImplemented
        return self._identity == other._identity and self.comparison == other.comparison


# The metrics of an attempt and its record ask for the same matchings; each entry keeps the calls of an attempt alive.
@functools.lru_cache(maxsize=8)
def _match_calls(inputs: _Inputs) -> CallMatching:
    expected, calls = inputs.expected, inputs.calls
    ids = call_ids(expected)
    matcher = _Matcher(calls, inputs.tools, inputs.comparison, ObtainedResults(frozenset(ids), calls))
    # Each reference call follows those whose results it refers to, if possible.
    left = list(range(len(expected)))
    placed: list[int] = []
    while left:
        waiting = {ids[index] for index in left}
        ready = (i for i in left if not (frozenset(result_ids(expected[i].arguments, waiting)) - {ids[i]}))
        index = next(ready, left[0])
        placed.append(index)
        left.remove(index)
    rows = {index: matcher.row(ids[index], expected[index]) for index in placed}
    return matching_of(expected, calls, tuple(rows[index] for index in range(len(expected))))


@dataclass(frozen=True)
class _Matcher:
    """Comparison of reference calls with all calls, one reference call after the other."""

    calls: Sequence[CallRecord]
    tools: ToolIndex
    comparison: Comparer
    results: ObtainedResults

    def row(self, call_id: str, expected: ExpectedCall) -> tuple[tuple[Mismatch, ...], ...]:
        """Return the mismatches with each call, and note which calls have the reference call's result."""
        row = tuple(self._mismatches(expected, position) for position in range(len(self.calls)))
        self.results.add(call_id, [position for position, found in enumerate(row) if not found])
        return row

    def _mismatches(self, expected: ExpectedCall, position: int) -> tuple[Mismatch, ...]:
        unresolved = self._compare(expected, position)
        if unresolved:
            return unresolved
        missing = self.results.missing(expected, position)
        if missing is not None:
            reason = f"it uses the result of reference call {missing}, which was not obtained before it"
            return (Mismatch(reason, is_too_early=True),)
        tool = self.tools.tool_of_call(self.calls[position])
        variants = self.results.variants(expected, position, tool.input_schema if tool else {})
        found = (
            # A reference call without references is its only variant, and was compared already.
            () if variant.arguments == expected.arguments else self._compare(variant, position)
            for variant in variants
        )
        return min(found, key=len, default=())

    def _compare(self, expected: ExpectedCall, position: int) -> tuple[Mismatch, ...]:
        return self.comparison.mismatches(expected, self.calls[position], self.tools, self.results.ids)


def matching_of(
    expected: Sequence[ExpectedCall],
    calls: Sequence[CallRecord],
    mismatches: tuple[tuple[tuple[Mismatch, ...], ...], ...],
) -> CallMatching:
    """Return the matching that follows from a comparison of each reference call with each call."""
    pairs = maximum_matching([[not found for found in row] for row in mismatches])
    return CallMatching(tuple(expected), tuple(calls), mismatches, pairs)


def call_ids(expected: Sequence[ExpectedCall]) -> tuple[str, ...]:
    """Return the id of each reference call: its own or, where it has none, its position from 1."""
    return tuple(call.id or str(position) for position, call in enumerate(expected, 1))
