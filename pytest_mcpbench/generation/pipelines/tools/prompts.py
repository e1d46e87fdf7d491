"""Instructions for the model, after the prompts of MCPToolBench++ (A.4), and the forms of its replies."""

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments

PROPOSE_VALUES = """\
You know which values the parameters of tools take. You get one tool with its name, description and parameters.
Write different arguments with which a person's request might call the tool. Use real and meaningful values: names of
places, companies and dates that exist, codes only from the dictionary if there is one. Give every required parameter,
and an optional one only where a request might ask for it. Never make up ids, addresses or keys that only the server
can know."""

FILTER_CHAIN = """\
You judge which tools belong together in one task. You get several tools, each with its name, description and
parameters. Answer no if no ordinary person would have a task that calls all of them, for example because two of them
have nothing to do with each other."""

FILTER_CATEGORIES = """\
You judge which kinds of tools belong together in one task. You get two categories, each with some of its tools. Answer
yes if an ordinary person could have a task that needs tools of both, for example to look up share prices and to draw
them as a chart. Answer no if the two have nothing to do with each other."""

WRITE_TEMPLATE = """\
You write examples of requests that assistants meet with tools. You get several tools, perhaps of different servers,
with arguments for which each is known to work.

1. Understand the purpose of each tool by its name and description.
2. Design a logical sequence that calls every tool of the list exactly once, and a natural request of a user that
   necessitates all of these calls. The request does not name tools or parameters, and does not recite arguments.
3. Hollow out the variable values in the request; a variable is written <query_xxx>, for example: How far is it from
   <query_start> to <query_end>?
4. Give the calls with their arguments, in which variables have the same names. All required parameters must be given.
   Leave out what the request does not ask for: every value of an argument is a variable of the request, a fixed value
   whose words the request contains, or the result of an earlier call.
5. "step" is the order of execution from 1; calls that can be made at the same time have the same step.
6. "id" is a different number of each call, from 1.
7. An argument that needs the result of an earlier call is <id_result>, or <id_result.path> for a part of it, such as
   <1_result.items[0].id>. Such a value does not appear in the request.
8. "values" has candidate values for every variable of the request. Prefer the values that are known to work."""

WRITE_REQUEST = """\
You write what people ask an assistant. You get a tool and the arguments of one call. Write one short question or order
that needs this call. It says every value of the arguments, and does not name the tool or its parameters."""

REWRITE = """\
You edit requests to an assistant, and judge them. You get a request with the calls that it needs.

First write the request as a person would say it. Where the dictionary has a name for a code, say the name; leave all
other values alone. Keep the meaning, and neither add nor leave out anything. If in doubt, return the request as it is.

Then judge what you wrote. It is unreasonable if nobody would ask it: driving from Earth to Mars, a start that is the
end, made-up addresses and places, uncommon codes, coordinates or ids that a person does not know."""


class _Reply(BaseModel):
    """Form of a reply. Its lists have a length in the schema, because small models otherwise never end them."""

    model_config = ConfigDict(coerce_numbers_to_str=True)


class ProposedValues(_Reply):
    """Arguments with which a tool might be called."""

    arguments: list[Arguments] = Field(json_schema_extra={"maxItems": 8})


class ChainVerdict(_Reply):
    """Judgment about the tools of a chain, or about two categories."""

    reason: str = Field(json_schema_extra={"maxLength": 200})
    is_reasonable: bool


class CallLabel(_Reply):
    """One call of a template."""

    id: str
    tool: str
    step: int = Field(ge=1)
    arguments: Arguments


class QueryTemplate(_Reply):
    """A request with variables, its calls, and values for the variables."""

    query: str = Field(json_schema_extra={"maxLength": 1500})
    calls: list[CallLabel] = Field(json_schema_extra={"maxItems": 12})
    values: dict[str, Annotated[list[JsonValue], Field(json_schema_extra={"maxItems": 5})]]


class PlainRequest(_Reply):
    """A request for one call."""

    query: str = Field(json_schema_extra={"maxLength": 300})


class Rewriting(_Reply):
    """A rewritten request, with a judgment about it."""

    query_rewritten: str = Field(json_schema_extra={"maxLength": 1500})
    reason: str = Field(json_schema_extra={"maxLength": 200})
    is_reasonable: bool


def tools_text(tools: Iterable[tuple[ToolDefinition, Iterable[Arguments]]]) -> str:
    """Return tools as text, with the arguments that are known to work."""
    parts = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
            "known_arguments": list(known),
        }
        for tool, known in tools
    ]
    return json.dumps(parts, ensure_ascii=False)


def tool_text(tool: ToolDefinition) -> str:
    """Return name and description of a tool as text."""
    return json.dumps([{"name": tool.name, "description": tool.description}], ensure_ascii=False)


def proposal_schema(tool: ToolDefinition, most: int) -> dict[str, Any]:
    """Return the schema of arguments for a tool, which is the tool's own, so that the reply has its parameters."""
    schema = dict(tool.input_schema)
    definitions: dict[str, Any] = {name: schema.pop(name) for name in ("$defs", "definitions") if name in schema}
    schema.pop("$schema", None)
    arguments = {"type": "array", "items": {**schema, "additionalProperties": False}, "minItems": 1, "maxItems": most}
    return {"type": "object", "properties": {"arguments": arguments}, "required": ["arguments"], **definitions}


def dictionary_text(dictionaries: Mapping[str, Mapping[str, str]], most: int = 200) -> str:
    """Return the dictionaries of codes as text, shortened; empty if there are none."""
    entries = {name: dict(list(entry.items())[:most]) for name, entry in dictionaries.items()}
    return f"\nDictionary of codes:\n{json.dumps(entries, ensure_ascii=False)}" if entries else ""
