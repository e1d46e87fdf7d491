"""Mistakes in the calls of an attempt as a group: extra arguments, harmful calls, another order."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.agents.script import Script, ScriptedCall, ScriptedStep
from pytest_mcpbench.audit.values import STRANGER

RECIPIENTS = frozenset({"to", "cc", "bcc", "attendees", "recipients"})
"""Names of parameters that hold addresses."""
_EXTRA_VALUES: Mapping[str, JsonValue] = {"string": "other", "integer": 1, "number": 1, "boolean": True}


def with_extra_arguments(call: ScriptedCall, schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Yield the arguments with one optional parameter added: each recipient field, and the first other that fits."""
    properties = schema.get("properties")
    free = {
        name: part
        for name, part in (properties if isinstance(properties, Mapping) else {}).items()
        if name not in call.arguments and isinstance(part, Mapping)
    }
    recipients = [name for name in free if name in RECIPIENTS]
    others = [name for name in free if name not in RECIPIENTS and _extra_value(free[name]) is not None]
    for name in recipients:
        value: JsonValue = [STRANGER] if _type(free[name]) == "array" else STRANGER
        yield name, {**call.arguments, name: value}
    for name in others[:1]:
        yield name, {**call.arguments, name: _extra_value(free[name])}


def with_call_before_the_end(script: Script, call: ScriptedCall) -> Script:
    """Return the script with a further call before its last text."""
    last = max((index for index, step in enumerate(script.steps) if step.text), default=len(script.steps))
    turn = script.steps[last].turn if last < len(script.steps) else 0
    return script.with_step(last, ScriptedStep(turn, (call,)))


def reorderings(script: Script) -> Iterator[tuple[str, str, Script]]:
    """Yield, for neighbouring steps of one turn, the names of their first calls and the script with them exchanged."""
    for index in range(len(script.steps) - 1):
        one, other = script.steps[index : index + 2]
        if one.calls and other.calls and one.turn == other.turn and one.calls != other.calls:
            steps = (*script.steps[:index], other, one, *script.steps[index + 2 :])
            yield one.calls[0].name, other.calls[0].name, replace(script, steps=steps)


def _extra_value(schema: Mapping[str, Any]) -> JsonValue:
    """Return a value that differs from the parameter's default; ``None`` if the type is not a scalar."""
    choices = [choice for choice in schema.get("enum", ()) if choice != schema.get("default")]
    if choices:
        choice: JsonValue = choices[0]
        return choice
    value = _EXTRA_VALUES.get(str(_type(schema)))
    if isinstance(value, bool):
        return not schema.get("default", False)
    return value


def _type(schema: Mapping[str, Any]) -> Any:
    """Return the parameter's type; of a union, the first that is not null."""
    options = [schema, *(part for part in schema.get("anyOf", ()) if isinstance(part, Mapping))]
    types = (option.get("type") for option in options)
    return next((kind for kind in types if isinstance(kind, str) and kind != "null"), None)
