"""Arguments that a schema itself proposes, and what a description and a result begin with."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import words_of

_EXAMPLE = re.compile(r"(?:e\.g\.,?|for example,?|example:?|such as)\s+[\"'`]([^\"'`\n]{1,80})[\"'`]", re.IGNORECASE)
_LONGEST_VALUE = 200


def schema_arguments(tool: ToolDefinition) -> dict[str, Any]:
    """Return the required arguments of a tool for which its schema has an example, a default or a choice."""
    arguments: dict[str, Any] = {}
    for parameter in top_parameters(tool):
        for value in _candidates(parameter) if parameter.name in tool.required else ():
            is_short = len(json.dumps(value, default=str)) <= _LONGEST_VALUE
            if is_short and value is not None and value_problem(value, parameter.schema, parameter.root) is None:
                arguments[parameter.name] = value
                break
    return arguments


def first_sentence(tool: ToolDefinition) -> str:
    """Return the beginning of a tool's description as one line; its name if it has none."""
    text = re.sub(r"(?i)^(?:\w+ )?description: ", "", " ".join(tool.description.split()))
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].rstrip(".") or " ".join(words_of(tool.name))


def _candidates(parameter: Parameter) -> Iterator[Any]:
    schema = parameter.schema
    examples = schema.get("examples")
    yield from examples if isinstance(examples, list) else ()
    if "default" in schema:
        yield schema["default"]
    yield from (parameter.values or ())[:1]
    if parameter.types == {"string"}:
        yield from _EXAMPLE.findall(parameter.description)[:1]


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
