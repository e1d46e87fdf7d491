"""Rules about schemas and names: what makes calls fail."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.bounded_schema import BoundedValidator
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import all_parameters
from pytest_mcpbench.definitions.lint.rules import RULES, Finding
from pytest_mcpbench.definitions.schema_structure import all_subschemas

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,128}")
_NAME_FOR_PROVIDERS = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_RESULTS_OF_ANY_TYPE = "2026-07-28"
"""Version of the protocol since which an output schema need not be that of an object (SEP-2106)."""
_SECTIONS = ("inputSchema", "outputSchema")


def schema_findings(server: ServerDefinition) -> Iterator[Finding]:
    """Yield the findings about the schemas and names of a server's tools."""
    for tool in server.tools:
        if not _NAME.fullmatch(tool.name):
            problem = "the protocol allows names of 1 to 128 letters, digits, _, - and ."
            yield Finding(RULES["tool-name"], server.name, problem, tool.name)
        elif not _NAME_FOR_PROVIDERS.fullmatch(tool.name):
            problem = (
                "OpenAI, Anthropic and Google accept 1 to 64 letters, digits, _ and -: clients must rename the tool"
            )
            yield Finding(RULES["provider-name"], server.name, problem, tool.name)
        yield from _tool_findings(server, tool)


def _tool_findings(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    problem = _schema_problem(tool, server.protocol or "")
    if problem is not None:
        yield Finding(RULES["invalid-schema"], server.name, problem, tool.name)
        return
    for section in _SECTIONS:
        schema = tool.canonical.get(section)
        for path, part in all_subschemas(schema) if isinstance(schema, Mapping) else ():
            for name in _undeclared(part):
                message = f"`required` of {'/'.join((section, *path))} names {name!r}, which is not in `properties`"
                yield Finding(RULES["required-undeclared"], server.name, message, tool.name, name)
    bare = [
        "/".join(map(str, path))
        for path, part in all_subschemas(tool.input_schema)
        if part.get("type") == "array" and not {"items", "prefixItems"} & set(part)
    ]
    if bare:
        message = f"inputSchema has arrays without `items`: {', '.join(bare)}"
        yield Finding(RULES["array-without-items"], server.name, message, tool.name)
    wrong: list[str] = []
    for parameter in (parameter for parameter in all_parameters(tool) if "default" in parameter.schema):
        default = parameter.schema["default"]
        if value_problem(default, parameter.schema, parameter.root) is not None:
            types = " or ".join(sorted(parameter.types)) or "an allowed value"
            wrong.append(f"{parameter.path} ({json.dumps(default, ensure_ascii=False)}, not {types})")
    if wrong:
        message = f"defaults that their schemas refuse: {', '.join(wrong)}"
        yield Finding(RULES["invalid-default"], server.name, message, tool.name)


def _schema_problem(tool: ToolDefinition, protocol: str) -> str | None:
    # Imported here: 50 ms that a run without lint need not pay.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    for section in _SECTIONS:
        schema = tool.canonical.get(section)
        if schema is None and section == "outputSchema":
            continue
        is_free = section == "outputSchema" and protocol >= _RESULTS_OF_ANY_TYPE
        if not isinstance(schema, Mapping) or (schema.get("type") != "object" and not is_free):
            return f"{section} must be a schema{'' if is_free else ' with the type object'}"
        try:
            validator_for(schema, default=Draft202012Validator).check_schema(dict(schema))
        except SchemaError as error:
            place = "/".join(map(str, error.absolute_path)) or "the schema"
            return f"{section}: {place}: {error.message[:200]}"
        except RecursionError:
            return f"{section}: it is nested too deeply"
    return None


def _undeclared(schema: Mapping[str, Any]) -> list[str]:
    """Return the required members that are not declared; none if they may be declared elsewhere."""
    properties, required = schema.get("properties"), schema.get("required")
    elsewhere = ("allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if")
    if (
        not isinstance(properties, Mapping)
        or not isinstance(required, list)
        or any(word in schema for word in elsewhere)
    ):
        return []
    return [name for name in required if name not in properties]


def value_problem(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> str | None:
    """Return why a schema refuses a value; ``None`` if it does not, or this cannot be told."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing.exceptions import Unresolvable

    definitions = {name: root[name] for name in ("$defs", "definitions", "$schema") if name in root}
    dialect = validator_for(root, default=Draft202012Validator)
    try:
        validator = BoundedValidator({**definitions, **schema}, dialect)
        return next((error.message[:200] for error in validator.iter_errors(value)), None)
    except (Unresolvable, ValueError, ArithmeticError, LookupError, RecursionError, TypeError, AttributeError):
        return None
