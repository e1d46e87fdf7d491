"""The Python checker of the Berkeley Function Calling Leaderboard (Patil et al.; ``bfcl-eval``, ``ast_checker.py``).

Verdicts and error types are those of the released checker, with one difference: the calls of a parallel task are
paired by maximum matching, where the released one takes the first call that fits and can so miss a pairing. What the
released checker does by accident (a missing key outranks a wrong value in an object, a first option ``""`` switches
off the check of a list's items) is kept, because verdicts are compared with it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.call_scores import score_of_all, score_without_reference
from pytest_mcpbench.metrics.comparison.calls import WHY_REFUSED, CallMatching, Mismatch, match_calls
from pytest_mcpbench.metrics.comparison.matchers import resolve_matchers
from pytest_mcpbench.metrics.comparison.schema import DIALECT_TYPES, Parameters, parameters, type_violations

_PYTHON_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
_OPTIONAL = ""
"""Among the options of a parameter: it may be left out."""


class CallVerdict(NamedTuple):
    """True if a call is right; else the first error found and its type in BFCL's words."""

    is_valid: bool
    error_type: str | None = None
    error: str = ""


VALID = CallVerdict(True)


@dataclass(frozen=True)
class BfclFunction:
    """A function as BFCL describes it: parameter -> ``{"type": …, "items": {"type": …}}``."""

    name: str
    properties: Mapping[str, Mapping[str, Any]]
    required: Sequence[str] = ()

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> "BfclFunction":
        """Convert the benchmark's own form, ``{"name", "parameters": {"properties", "required"}}``."""
        about = description["parameters"]
        return cls(description["name"], about["properties"], about["required"])


Options = Mapping[str, Sequence[Any]]
"""Parameter -> acceptable values; ``""`` among them makes it optional."""


class AcceptedCall(NamedTuple):
    """A reference call: the function and the acceptable values of its arguments."""

    name: str
    options: Options


class FunctionCall(NamedTuple):
    """A call that is to be checked."""

    name: str
    arguments: Mapping[str, Any]


def check_call(function: BfclFunction, call: FunctionCall, options: Options) -> CallVerdict:
    """Return the verdict on one call of one function."""
    if call.name != function.name:
        return _failure("simple_function_checker:wrong_func_name", f"{call.name} was called, not {function.name}")
    for name in function.required:
        if name not in call.arguments:
            return _failure("simple_function_checker:missing_required", f"the required parameter {name!r} is missing")
    for name, value in call.arguments.items():
        if name not in function.properties or name not in options:
            return _failure("simple_function_checker:unexpected_param", f"{name!r} is not expected")
        verdict = _check_argument(name, value, function.properties[name], options[name])
        if not verdict.is_valid:
            return verdict
    for name, accepted in options.items():
        if name not in call.arguments and _OPTIONAL not in accepted:
            return _failure("simple_function_checker:missing_optional", f"{name!r} is missing and not optional")
    return VALID


def standardize(text: str) -> str:
    """Return the text without spaces and ``, . / - _ * ^``, in lower case, with double quotes for single ones."""
    return re.sub(r"[ ,./\-_*^]", "", text).lower().replace("'", '"')


def _failure(error_type: str, error: str) -> CallVerdict:
    return CallVerdict(False, error_type, error)


def _check_argument(name: str, value: Any, about: Mapping[str, Any], options: Sequence[Any]) -> CallVerdict:
    type_ = _PYTHON_TYPES.get(about["type"], str)
    items = about.get("items")
    word = items.get("type") if type_ is list and isinstance(items, Mapping) else None
    item_type = None if word is None else _PYTHON_TYPES.get(word, str)
    if type_ is list and type(value) is tuple:
        value = list(value)
    if type_ is float and type(value) is int:
        value = float(value)
    verdict, is_variable = _check_type(name, value, options, type_, item_type)
    if not verdict.is_valid:
        return verdict
    if is_variable:
        return _check_membership(name, value, options)
    if type_ is dict:
        return _check_object(value, options)
    if type_ is list and item_type is dict:
        return _check_objects(name, value, options)
    if type_ is str and standardize(value) not in [standardize(option) for option in options if type(option) is str]:
        return _failure("value_error:string", _not_among(name, value, options))
    if type_ is list and _standardized_items(value) not in [_standardized_items(option) for option in options]:
        return _failure("value_error:list/tuple", _not_among(name, value, options))
    return VALID if type_ in (str, list) else _check_membership(name, value, options)


def _check_type(
    name: str, value: Any, options: Sequence[Any], type_: type, item_type: type | None
) -> tuple[CallVerdict, bool]:
    """Check a value's type; also return whether the answer's type differs from the schema's (a "variable")."""
    type_of_answer = next((type(option) for option in options if option != _OPTIONAL), None)
    is_variable = type_of_answer is not None and type_of_answer is not type_
    mismatch = _failure("type_error:simple", f"{name}: expected {type_.__name__}, got {value!r}")
    if type(value) is type_:
        if item_type is None:
            return VALID, is_variable
        if any(_items_fit(name, value, option, item_type) for option in options):
            return VALID, is_variable
        mismatch = _failure("type_error:nested", f"{name}: expected items of type {item_type.__name__}, got {value!r}")
        if type_of_answer is type(value):
            return mismatch, True
        return _failure("type_error:simple", mismatch.error), is_variable
    return (VALID, True) if type_of_answer is type(value) else (mismatch, is_variable)


def _items_fit(name: str, value: Any, option: Any, item_type: type) -> bool:
    if type(option) is not list:
        return True
    return all(_check_type(name, item, option, item_type, None)[0].is_valid for item in value)


def _check_membership(name: str, value: Any, options: Sequence[Any]) -> CallVerdict:
    return VALID if value in options else _failure("value_error:others", _not_among(name, value, options))


def _standardized_items(values: Any) -> list[Any]:
    if not isinstance(values, list | tuple | str):
        return [values]
    return [standardize(value) if type(value) is str else value for value in values]


def _check_object(value: Any, options: Sequence[Any]) -> CallVerdict:
    verdict = _failure("dict_checker:unclear", "no object is acceptable")
    for option in options:
        if option == _OPTIONAL:
            continue
        verdict = _check_against_object(value, option)
        if verdict.is_valid:
            return VALID
    return verdict


def _check_against_object(value: Any, accepted: Any) -> CallVerdict:
    if not isinstance(value, Mapping) or not isinstance(accepted, Mapping):
        return _failure("value_error:dict_value", f"{value!r} is not {accepted!r}")
    accepted = {key: part if isinstance(part, list | tuple | str) else [part] for key, part in accepted.items()}
    for key in accepted:
        if key not in value and _OPTIONAL not in accepted[key]:
            return _failure("value_error:dict_key", f"the key {key!r} is missing")
    for key, part in value.items():
        if key not in accepted:
            return _failure("value_error:dict_key", f"the key {key!r} is not expected")
        plain = standardize(part) if type(part) is str else part
        if plain not in _standardized_items(accepted[key]):
            return _failure("value_error:dict_value", _not_among(key, part, accepted[key]))
    return VALID


def _check_objects(name: str, values: Sequence[Any], options: Sequence[Any]) -> CallVerdict:
    verdict = _failure("list_dict_checker:unclear", f"{name}: no list of objects is acceptable")
    for option in options:
        if not isinstance(option, list | str) or len(values) != len(option):
            verdict = _failure("value_error:list_dict_count", f"{name}: {len(values)} objects are not {option!r}")
            continue
        checked = (_check_object(value, [accepted]) for value, accepted in zip(values, option, strict=True))
        verdict = next((one for one in checked if not one.is_valid), VALID)
        if verdict.is_valid:
            return VALID
    return verdict


def _not_among(name: str, value: Any, options: Any) -> str:
    return f"{name}: {value!r} is none of {options!r}"


# Metric ``bfcl``: the calls are right by the rules of the Berkeley Function Calling Leaderboard.

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
        # BFCL does not check the type of an accepted value.
        spec = tools.tool_of_call(call)
        names = {str(matcher.at[0]) for matcher in expected.matchers} & call.arguments.keys()
        schema = spec.input_schema if spec else {}
        faults = tuple(fault for name in sorted(names) for fault in type_violations(name, call.arguments[name], schema))
        if faults:
            return tuple(map(Mismatch, faults))
        function, options = self._reference(resolve_matchers(expected, call.arguments), call, tools)
        verdict = check_call(function, FunctionCall(call.called, call.arguments), options)
        return () if verdict.is_valid else (Mismatch(f"{verdict.error} ({verdict.error_type})"),)

    def _reference(self, expected: ExpectedCall, call: CallRecord, tools: ToolIndex) -> tuple[BfclFunction, Options]:
        spec = tools.tool_of_call(call)
        # The tool in BFCL's form; without a schema, the types are those of the reference's values.
        name = call.called
        known = parameters(spec.input_schema) if spec else Parameters()
        if not known.are_known:
            function = BfclFunction(
                name, {key: _bfcl_schema(_schema_of(value)) for key, value in expected.arguments.items()}
            )
        else:
            described = {key: _bfcl_schema(schema) for key, schema in known.properties.items()}
            function = BfclFunction(name, described, sorted(known.required))
        names = set(expected.arguments)
        if tools.similar_tool_of_call(call, expected) is not None:
            names &= function.properties.keys()
        options: dict[str, Any] = {key: value for key, value in expected.arguments.items() if key in names}
        for key, value in options.items():
            if not self.possible_answers or not isinstance(value, list):
                wrapped = _wrap_options(value, function.properties.get(key, {}))
                options[key] = [wrapped, ""] if key in expected.optional else [wrapped]
        return function, options


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
        """Return the reference calls paired with the attempt's calls."""
        comparison = BfclComparison(self.possible_answers)
        return match_calls(expected, evidence.calls, ToolIndex.of(evidence.tools), comparison)


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
