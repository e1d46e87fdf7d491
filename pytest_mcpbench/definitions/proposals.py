"""Proposed calls of tools, whose arguments come from schemas and from results of other calls, never from guesses."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import words_of

_EXAMPLE = re.compile(r"(?:e\.g\.,?|for example,?|example:?|such as)\s+[\"'`]([^\"'`\n]{1,80})[\"'`]", re.IGNORECASE)
_LONGEST_VALUE = 200


@dataclass(frozen=True)
class ProposedCall:
    """A call with the values that are known for the parameters that it requires."""

    tool: ToolDefinition
    arguments: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[Parameter, ...] = ()
    """Required parameters for which no value is known."""


def propose_call(tool: ToolDefinition, known: Mapping[str, Any]) -> ProposedCall:
    """Return the call of a tool with its required arguments.

    Args:
        tool: The tool to call.
        known: Values in results of other tools, by the name of the member; see :func:`values_in`.
    """
    arguments: dict[str, Any] = {}
    missing: list[Parameter] = []
    for parameter in top_parameters(tool):
        if parameter.name in tool.required:
            value = next((value for value in _candidates(parameter, known) if _fits(value, parameter)), _NOTHING)
            if value is _NOTHING:
                missing.append(parameter)
            else:
                arguments[parameter.name] = value
    return ProposedCall(tool, arguments, tuple(missing))


def values_in(result: Any, tool: str) -> dict[str, Any]:
    """Return the first scalar of each name in a result; the ``id`` of ``list_notes`` is also ``note_id``."""
    found: dict[str, Any] = {}
    for name, value in scalars_in(result):
        found.setdefault(name, value)
    nouns = [word.removesuffix("s") for word in words_of(tool)[1:]]
    for name in ("id", "name"):
        if name in found and nouns:
            found.setdefault(f"{nouns[-1]}_{name}", found[name])
    return found


def first_sentence(tool: ToolDefinition) -> str:
    """Return the beginning of a tool's description as one line; its name if it has none."""
    text = " ".join(tool.description.split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].rstrip(".") or " ".join(words_of(tool.name))


_NOTHING = object()


def _candidates(parameter: Parameter, known: Mapping[str, Any]) -> Iterator[Any]:
    schema = parameter.schema
    examples = schema.get("examples")
    yield from examples if isinstance(examples, list) else ()
    if "default" in schema:
        yield schema["default"]
    if parameter.name in known:
        yield known[parameter.name]
    yield from (parameter.values or ())[:1]
    if parameter.types == {"string"}:
        yield from _EXAMPLE.findall(parameter.description)[:1]


def _fits(value: Any, parameter: Parameter) -> bool:
    is_short = len(json.dumps(value, default=str)) <= _LONGEST_VALUE
    return is_short and value is not None and value_problem(value, parameter.schema, parameter.root) is None


def scalars_in(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield name and value of the texts and numbers in a result, of the first elements of each list."""
    if depth > 6:
        return
    if isinstance(value, Mapping):
        for name, part in value.items():
            if isinstance(part, str | int | float) and not isinstance(part, bool) and part != "":
                yield str(name), part
            else:
                yield from scalars_in(part, depth + 1)
    elif isinstance(value, list):
        for part in value[:5]:
            yield from scalars_in(part, depth + 1)
