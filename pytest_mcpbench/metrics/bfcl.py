"""Metric ``bfcl``: the calls are right by the rules of the Berkeley Function Calling Leaderboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord, ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.call_scores import score_of_all, score_without_reference
from pytest_mcpbench.metrics.comparison.bfcl import Function, FunctionCall, Options, check_call
from pytest_mcpbench.metrics.comparison.calls import WHY_REFUSED, CallMatching, Mismatch, match_calls
from pytest_mcpbench.metrics.comparison.matchers import resolve_matchers
from pytest_mcpbench.metrics.comparison.schema import DIALECT_TYPES, Parameters, parameters, type_violations

_BFCL_WORDS = {
    "string": "string",
    "integer": "integer",
    "number": "float",
    "boolean": "boolean",
    "array": "array",
    "object": "dict",
}
_JSON_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


@dataclass(frozen=True)
class BfclComparison:
    """One call against one reference call, by BFCL's rules."""

    possible_answers: bool = False
    """The reference's arguments are lists of acceptable values, as in BFCL's own data; else they are the values."""

    def mismatches(
        self,
        expected: ExpectedCall,
        call: CallRecord,
        tools: ToolIndex,
        placeholders: frozenset[str] = frozenset(),  # noqa: ARG002  # BFCL has no references to results
    ) -> tuple[Mismatch, ...]:
        """Return the first error with its type in BFCL's words; empty if the call is right."""
        if not tools.accepts(call, expected):
            problem = f"{call.called} was called, not {expected.tool} (simple_function_checker:wrong_func_name)"
            return (Mismatch(problem, is_other_tool=True),)
        if call.problem is not None:
            return (Mismatch(WHY_REFUSED[call.problem]),)
        faults = _type_faults(expected, call, tools.tool_of_call(call))
        if faults:
            return tuple(map(Mismatch, faults))
        function, options = self._reference(resolve_matchers(expected, call.arguments), call, tools)
        verdict = check_call(function, FunctionCall(call.called, call.arguments), options)
        return () if verdict.is_valid else (Mismatch(f"{verdict.error} ({verdict.error_type})"),)

    def _reference(self, expected: ExpectedCall, call: CallRecord, tools: ToolIndex) -> tuple[Function, Options]:
        spec = tools.tool_of_call(call)
        function = _function(call.called, spec, expected)
        names = set(expected.arguments)
        if tools.similar_tool_of_call(call, expected) is not None:
            names &= function.properties.keys()
        options = {name: self._options(name, expected, function) for name in expected.arguments if name in names}
        return function, options

    def _options(self, name: str, expected: ExpectedCall, function: Function) -> list[Any]:
        value: Any = expected.arguments[name]
        if self.possible_answers and isinstance(value, list):
            return value
        wrapped = _wrap_options(value, function.properties.get(name, {}))
        return [wrapped, ""] if name in expected.optional else [wrapped]


@dataclass(frozen=True)
class Bfcl:
    """Score of 1 if the calls are those of the reference by BFCL's rules, in any order; otherwise 0.

    Calls are paired by maximum matching, which the released checker replaces by "the first that fits". No reference
    call: not applicable, unless the task forbids all tools (BFCL's irrelevance: 1 where none is called).
    """

    possible_answers: bool = False

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        expected = task.expected.flat_calls
        if not expected:
            return score_without_reference(task, evidence)
        return score_of_all(self.match_references(expected, task, evidence), extra_is_wrong=True)

    def match_references(
        self,
        expected: Sequence[ExpectedCall],
        task: Task,  # noqa: ARG002  # as the other metrics that compare calls
        evidence: AttemptEvidence,
    ) -> CallMatching:
        """Return the reference calls paired with the run's calls."""
        comparison = BfclComparison(self.possible_answers)
        return match_calls(expected, evidence.calls, ToolIndex.of(evidence.tools), comparison)


def _type_faults(expected: ExpectedCall, call: CallRecord, spec: ToolSpec | None) -> tuple[str, ...]:
    """Return the wrong types of arguments with matchers; BFCL does not check the type of an accepted value."""
    names = {str(matcher.at[0]) for matcher in expected.matchers} & call.arguments.keys()
    schema = spec.input_schema if spec else {}
    return tuple(fault for name in sorted(names) for fault in type_violations(name, call.arguments[name], schema))


def _function(name: str, spec: ToolSpec | None, expected: ExpectedCall) -> Function:
    """Return the tool in BFCL's form; without a schema, with the types of the reference's values."""
    known = parameters(spec.input_schema) if spec else Parameters()
    if not known.are_known:
        return Function(name, {key: _bfcl_schema(_schema_of(value)) for key, value in expected.arguments.items()})
    described = {key: _bfcl_schema(schema) for key, schema in known.properties.items()}
    return Function(name, described, sorted(known.required))


def _bfcl_schema(schema: Any) -> dict[str, Any]:
    """Return a parameter's JSON schema in BFCL's form: its first type that is not null, and that of its items."""
    described: dict[str, Any] = {"type": _word(schema)}
    items = schema.get("items") if isinstance(schema, Mapping) else None
    if described["type"] == "array" and isinstance(items, Mapping) and _word(items) != "any":
        described["items"] = {"type": _word(items)}
    return described


def _word(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    alternatives = schema.get("anyOf") or schema.get("oneOf") or ()
    types = schema.get("type") or [part.get("type") for part in alternatives if isinstance(part, Mapping)]
    names = [name for name in (types if isinstance(types, list) else [types]) if name and name != "null"]
    name = DIALECT_TYPES.get(names[0], names[0]) if names and isinstance(names[0], str) else "any"
    return _BFCL_WORDS.get(name, "any")


def _schema_of(value: Any) -> dict[str, Any]:
    """Return a schema that describes a reference's value, where the tool's own is not known."""
    name = _JSON_NAMES.get(type(value), "any")
    return {"type": name, "items": _schema_of(value[0])} if name == "array" and value else {"type": name}


def _wrap_options(value: Any, described: Mapping[str, Any]) -> Any:
    """Convert a value to a possible answer; BFCL requires options for each key of an object."""
    if described.get("type") == "dict" and isinstance(value, dict):
        return {key: [part] for key, part in value.items()}
    if described.get("items") == {"type": "dict"} and isinstance(value, list):
        return [_wrap_options(item, {"type": "dict"}) for item in value]
    return value
