"""Invalid calls, made of valid ones (adversarial failure induction, MCP-Persona 3.1.1)."""

import json
from collections.abc import Iterator
from typing import Any, TypeGuard

from pydantic import BaseModel, JsonValue

from pytest_mcpbench.definitions.lint.parameters import Parameter
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.schema_alternatives import Schema, type_of
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.pipelines.traverse.candidates import CallCandidate, InvalidKind

MOST_OF_A_KIND = 4
"""Invalid calls of one kind and tool."""
ASKING = Asking(prompt_tokens=900, reply_tokens=300)
_UNDECLARED = "undeclared_parameter"
_DEEPEST = 2
"""Objects inside objects whose members are made invalid."""
_FAR = 10**9
"""Number beyond the limits of most parameters that declare none."""
_LARGEST_LIMIT = 10_000
"""Limits of length above this one are not exceeded: the call would be too long."""
_OTHERS: tuple[tuple[str, Any], ...] = (
    ("a number", 12345),
    ("a text", "not a value"),
    ("a list", ["not", "a", "value"]),
    ("an object", {"not": "a value"}),
)
"""Values of which one has a wrong type."""
_INSTRUCTIONS = """You test how an MCP server handles contradictions. You see the definition of one tool and a call \
that the server answered. Write calls whose arguments fit the schema, each with its own type and range, and still \
cannot be fulfilled because they contradict each other or the server's data: an end before a start, an id that does \
not exist, the same thing as source and target. Say in a few words what contradicts."""


class _Contradiction(BaseModel):
    arguments: dict[str, JsonValue]
    contradiction: str


class _Contradictions(BaseModel):
    """Reply of the model."""

    calls: list[_Contradiction]


async def add_invalid_calls(setup: Setup, questions: Questions | None, call: CallCandidate) -> Outcome:
    """Return a valid call and, if it is a seed, invalid variants of all kinds; semantic ones need a model."""
    if not call.is_seed:
        return [call]
    tool = setup.tool(call.server, call.tool)
    found = [*invalid_objects(tool.input_schema, tool.input_schema, call.arguments)]
    if questions is not None:
        definition, example = (json.dumps(each, ensure_ascii=False) for each in (tool.canonical, call.arguments))
        try:
            reply = await questions.ask(_INSTRUCTIONS, f"{definition}\n\nCall:\n{example}", _Contradictions)
        except UnreadableReplyError:
            reply = _Contradictions(calls=[])
        found += [
            ("semantic", "", each.contradiction, each.arguments)
            for each in reply.calls
            if value_problem(each.arguments, tool.input_schema, tool.input_schema) is None
        ]
    variants: list[CallCandidate] = []
    for kind in dict.fromkeys(each[0] for each in found):
        of_kind = [each for each in found if each[0] == kind]
        setup.random(f"invalid calls of {call.id}, {kind}").shuffle(of_kind)
        for number, (_, parameter, violation, arguments) in enumerate(of_kind[:MOST_OF_A_KIND], 1):
            fields = {"kind": kind, "parameter": parameter, "violation": violation, "arguments": arguments}
            variants.append(call.model_copy(update={"id": f"{call.tool}.{kind}-{number}", "is_seed": False, **fields}))
    return [call, *variants]


_Invalid = tuple[InvalidKind, str, str, Arguments]
"""Kind, parameter, what is wrong with it, and the arguments."""


def invalid_objects(schema: Schema, root: Schema, valid: Arguments, depth: int = 0) -> Iterator[_Invalid]:
    """Yield objects that a schema refuses, or with a value beyond what a member can mean, each made of a valid one."""
    required = set(schema.get("required") or ())
    for name, part in (schema.get("properties") or {}).items():
        parameter = Parameter(name, part, root)
        # Without declared types every value is admitted.
        others = _OTHERS if parameter.types else ()
        wrong = [each for each in others if value_problem(each[1], parameter.schema, root) is not None]
        for violation, value in wrong[:2]:
            yield "type", name, f"{name} is {violation}", {**valid, name: value}
        if name in required:
            yield "schema", name, f"{name} is missing", {key: value for key, value in valid.items() if key != name}
        if parameter.values:
            yield "schema", name, f"{name} is none of the values of its enum", {**valid, name: "none-of-these"}
        for violation, value in _beyond_limits(parameter, valid.get(name)):
            yield "boundary", name, f"{name} {violation}", {**valid, name: value}
        if depth < _DEEPEST:
            yield from _with_invalid_inside(parameter, valid, depth)
    if schema.get("additionalProperties") is False:
        yield "schema", _UNDECLARED, f"{_UNDECLARED} is not declared", {**valid, _UNDECLARED: "x"}


def _with_invalid_inside(parameter: Parameter, valid: Arguments, depth: int) -> Iterator[_Invalid]:
    """Yield objects in which the value of a parameter, or the first one of its list, is an invalid object."""
    name, value = parameter.name, valid.get(parameter.name)
    first, *others = value if isinstance(value, list) and value else [value]
    if not isinstance(first, dict):
        return
    wanted = "array" if isinstance(value, list) else "object"
    inside = [option for option in parameter.options or () if type_of(option) == wanted]
    for part in (option.get("items", {}) if wanted == "array" else option for option in inside):
        for schema in Parameter(name, part, parameter.root).options or ():
            for kind, _, violation, changed in invalid_objects(schema, parameter.root, first, depth + 1):
                whole: JsonValue = [changed, *others] if wanted == "array" else changed
                if kind == "boundary" or value_problem(whole, parameter.schema, parameter.root) is not None:
                    yield kind, name, f"in {name}, {violation}", {**valid, name: whole}


def _beyond_limits(parameter: Parameter, valid: Any) -> Iterator[tuple[str, Any]]:
    """Yield values beyond the declared limits and, where none is declared, beyond the usual ones."""
    for option in parameter.options or ():
        numbers = {
            "minimum": ("is below its minimum", -1),
            "maximum": ("is above its maximum", 1),
            "exclusiveMinimum": ("is at its exclusive minimum", 0),
            "exclusiveMaximum": ("is at its exclusive maximum", 0),
        }
        for keyword, (violation, further) in numbers.items():
            if _is_limit(limit := option.get(keyword)):
                yield violation, limit + further
        longest, fewest, most = (option.get(keyword) for keyword in ("maxLength", "minItems", "maxItems"))
        if _is_limit(longest):
            yield "is longer than allowed", "x" * (longest + 1)
        if fewest and _is_limit(fewest):
            yield "has too few items", []
        if _is_limit(most) and isinstance(valid, list) and valid:
            yield "has too many items", valid[:1] * (most + 1)
    if parameter.types & {"integer", "number"}:
        yield from (("is far too small", -_FAR), ("is far too large", _FAR))
    if "string" in parameter.types and not parameter.values:
        yield "is empty", ""


def _is_limit(value: Any) -> TypeGuard[int]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_LIMIT
