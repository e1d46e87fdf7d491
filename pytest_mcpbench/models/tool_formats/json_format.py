"""Format in which a reply is one JSON object: a call, a list of calls, or the answer.

The answer is an alternative in the form of a call, because small models otherwise repeat a call instead of answering.
"""

import ast
import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.models.chat_reply import DEEPEST_VALUE
from pytest_mcpbench.models.tool_formats.tool_format import (
    ParsedReply,
    WrittenCall,
    described,
    without_leading_thoughts,
)

# JSON objects and lists in a text, read with the mistakes that small models make.
#
# Accepted beyond JSON are line breaks in strings, commas before a closing bracket, and Python's quotes and constants.
# Nothing is completed: a value without its closing bracket is no value.

_DECODER = json.JSONDecoder(strict=False)
_STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\[{}\]]", re.DOTALL)
_LONGEST_REPAIR = 50_000
"""Characters of a value that is read with mistakes."""


def decode_at(text: str, start: int) -> tuple[Any, int] | None:
    """Return the object or list that begins at a position, and the position after it; ``None`` if there is none."""
    if text[start : start + 1] not in ("{", "["):
        return None
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    end = _end_of_value(text, start)
    if end is None:
        return None
    value = text[start:end]
    try:
        return json.loads(_STRING_OR_COMMA.sub(lambda match: match[1] or "", value), strict=False), end
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(json.dumps(ast.literal_eval(value))), end
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _end_of_value(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at ``start``; ``None`` if it is far away or missing."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + _LONGEST_REPAIR):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth in (0, DEEPEST_VALUE):
            return token.end() if depth == 0 else None
    return None


# Parser of calls that a model wrote as JSON.
#
# Known places of a call: the complete text, a fenced block (llama.cpp #12279), ``<tool_call>`` tags (Hermes, Qwen),
# ``[TOOL_CALLS]`` (Mistral), and a line of its own. The last part of a reply decides between call and answer: text
# before a call is thoughts, and a call before text is an example. An answer written as :data:`RESPOND` counts anywhere.

RESPOND = "respond"
"""Name under which the answer is written as if it were a call."""
_OPENING = re.compile(
    r"(?P<fence>^[ \t]*```\w*\s*(?=[\[{]))|(?P<tag><tool_call>\s*)|(?P<marker>\[TOOL_CALLS\]\s*)"
    r"|(?P<line>^(?=\{|\[\s*\{))",
    re.MULTILINE,
)
_CLOSING = re.compile(r"\s*(?:```|</tool_call>)")
_ACTION = re.compile(r"^[ \t*]*Action[ \t*]*:", re.MULTILINE | re.IGNORECASE)
_ACTION_INPUT = re.compile(r"^[ \t*]*Action[ \t]+Input[ \t*]*:", re.MULTILINE | re.IGNORECASE)
_NAME_KEYS = ("name", "tool", "function", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "inputs")
_LIST_KEYS = ("calls", "tool_calls")
_OTHER_KEYS = {"id", "type", "server_name"}
_START_OF_CALL = re.compile(
    r'[\[{\s]*(?:"(?:calls|tool_calls)"\s*:\s*[\[{\s]*)?"(?:name|tool|function|tool_name|respond)"\s*:'
)
_MOST_BLOCKS = 20
"""Places of a text that are tried."""


@dataclass(frozen=True)
class _Block:
    """JSON in a text: the kind of place where it stands, its calls, and its position including the marks around it."""

    kind: str
    calls: tuple[WrittenCall, ...]
    start: int
    end: int


def parse_json_reply(text: str, tools: Collection[str]) -> ParsedReply:
    """Return the calls or the answer in a text; ``tools`` are the names that the model was offered."""
    body = without_leading_thoughts(text)
    whole = decode_at(body, 0)
    if whole is not None and whole[1] == len(body):
        calls = _calls_of(whole[0], tools)
        return ParsedReply(text=body) if calls is None else _reply_of(calls)
    try:
        blocks = [*_find_blocks(body, tools)]
    except _BrokenCallError:
        return ParsedReply(problem="the JSON of the call is not complete or not valid")
    if _ACTION.search(body) and _ACTION_INPUT.search(body):
        return ParsedReply(problem="it has lines of 'Action:' in place of the JSON object")
    calls = tuple(call for block in blocks for call in block.calls)
    if not blocks or (body[blocks[-1].end :].strip() and all(call.name != RESPOND for call in calls)):
        return ParsedReply(text=body)
    if len({block.kind for block in blocks}) > 1:
        return ParsedReply(problem="calls are written in two ways, so that it is not clear which are meant")
    parts, position = [], 0
    for block in blocks:
        parts.append(body[position : block.start].strip())
        position = block.end
    return _reply_of(calls, "\n".join(part for part in parts if part))


class _BrokenCallError(Exception):
    """JSON that begins as a call and does not end."""


def _find_blocks(body: str, tools: Collection[str]) -> Iterator[_Block]:
    """Yield the blocks with calls. Raises _BrokenCallError for a call that cannot be decoded."""
    position = 0
    for _ in range(_MOST_BLOCKS):
        opening = _OPENING.search(body, position)
        if opening is None:
            return
        decoded = decode_at(body, opening.end())
        if decoded is None:
            if opening.lastgroup == "tag" or _START_OF_CALL.match(body, opening.end()):
                raise _BrokenCallError
            position = opening.end() + 1
            continue
        closing = _CLOSING.match(body, decoded[1]) if opening.lastgroup in ("fence", "tag") else None
        position = closing.end() if closing else decoded[1]
        calls = _calls_of(decoded[0], tools)
        if calls:
            yield _Block(str(opening.lastgroup), calls, opening.start(), position)


def _reply_of(calls: tuple[WrittenCall, ...], text: str = "") -> ParsedReply:
    """Return the reply with these calls, of which one may be the answer."""
    answers = [call for call in calls if call.name == RESPOND]
    if not answers:
        return ParsedReply(text=text, calls=calls)
    if len(answers) < len(calls):
        return ParsedReply(problem=f"it has calls and {RESPOND!r}; the answer must wait for the results of the calls")
    texts = []
    for call in answers:
        value = call.arguments
        if isinstance(value, dict):
            value = value.get("text", next(iter(value.values()), "") if len(value) == 1 else value)
        texts.append(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return ParsedReply(text="\n".join(texts))


def _calls_of(value: Any, tools: Collection[str]) -> tuple[WrittenCall, ...] | None:
    """Return the calls of a decoded value; ``None`` if it is another kind of value."""
    if isinstance(value, dict):
        listed = next((value[key] for key in _LIST_KEYS if [*value] == [key]), None)
        if isinstance(listed, list):
            return _calls_of(listed, tools)
        call = _call_of(value, tools)
        return (call,) if call else None
    calls = [_call_of(each, tools) for each in value] if isinstance(value, list) and value else [None]
    return tuple(call for call in calls if call) if all(calls) else None


def _call_of(value: Any, tools: Collection[str]) -> WrittenCall | None:
    """Return an object as a call if it has a name, arguments and no other fields.

    Arguments may be missing only beside the name of a tool.
    """
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        return _call_of(value["function"], tools)
    if [*value] == [RESPOND]:
        return WrittenCall(RESPOND, value[RESPOND])
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    argument_key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    if name_key is None or value.keys() - {name_key, argument_key} - _OTHER_KEYS:
        return None
    name = value[name_key]
    if argument_key is None:
        return WrittenCall(name) if name in tools else None
    return WrittenCall(name, value[argument_key])


# JSON schema of a reply: one of the tools, a list of calls, or the answer.

_MOST_CALLS = 10
"""Calls of one reply; without a limit, small models write calls without end."""
_STRUCTURAL = {
    "type", "required", "items", "prefixItems", "enum", "const", "anyOf", "oneOf", "allOf",
    "additionalProperties", "minItems", "maxItems", "properties", "$defs", "definitions", "$ref",
}  # fmt: skip
"""Keywords that servers translate to grammars; others, such as ``pattern``, are refused by some of them."""
_NAMED_SCHEMAS = {"properties", "$defs", "definitions"}
_SCHEMAS = {"items", "additionalProperties"}
_LISTS_OF_SCHEMAS = {"anyOf", "oneOf", "allOf", "prefixItems"}


def reply_schema(tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:
    """Return the ``response_format``; ``settings`` say if there must be a call, and if there may be several."""
    definitions, wanted = {}, []
    for number, tool in enumerate(tools):
        name = f"tool_{number}"
        # References must be valid inside ``$defs``.
        arguments = {"type": "object", "properties": {}, **tool.input_schema}
        definitions[name] = _reduced(arguments, f"#/$defs/{name}")
        if settings.tool_choice in (None, "auto", "required", tool.name):
            wanted.append(_call(tool.name, {"$ref": f"#/$defs/{name}"}))
    alternatives = [*wanted]
    if settings.parallel_calls is not False:
        alternatives.append({"type": "array", "items": {"anyOf": wanted}, "minItems": 1, "maxItems": _MOST_CALLS})
    if settings.tool_choice in (None, "auto"):
        alternatives.append(_call(RESPOND, _TEXT))
    schema = {"anyOf": alternatives, "$defs": definitions}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    properties = {"name": {"const": name}, "arguments": arguments}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _reduced(schema: Any, root: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    reduced = {key: value for key, value in schema.items() if key in _STRUCTURAL}
    for key, value in reduced.items():
        if key == "$ref":
            reduced[key] = root + str(value).removeprefix("#")
        elif key in _NAMED_SCHEMAS and isinstance(value, dict):
            reduced[key] = {name: _reduced(each, root) for name, each in value.items()}
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            reduced[key] = [_reduced(each, root) for each in value]
        elif key in _SCHEMAS:
            reduced[key] = _reduced(value, root)
    return reduced


_ANSWER = f'{{"name": "{RESPOND}", "arguments": {{"text": "…"}}}}'
_INSTRUCTIONS = """You can call tools. Each reply is one JSON object and nothing else:
- to call a tool: {{"name": "<name of the tool>", "arguments": {{…}}}}
{parallel}- to answer the user, when no further call is needed: {answer}
Give an optional argument only if the request calls for it. The results of calls follow in the next message.

Tools, one a line:
{tools}"""
_PARALLEL = "- to call several tools at once: a list of such objects\n"
_AFTER_RESULTS = f'If the request is now complete, reply with "{RESPOND}"; otherwise call the next tool.'


class JsonFormat:
    """JSON object as a reply, constrained by a schema where the server offers it."""

    name: Literal["json", "react"] = "json"
    reminder = f"Reply with one JSON object only: a call of a tool, or {_ANSWER} as the answer."

    def instructions(self, tools: Sequence[ToolSpec]) -> str:
        lines = "\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in tools)
        return _INSTRUCTIONS.format(parallel=_PARALLEL, answer=_ANSWER, tools=lines)

    def write_calls(self, text: str, calls: Sequence[Call]) -> str:  # noqa: ARG002 - thoughts have no place in it
        written = [
            {"name": call.name, "arguments": call.arguments if call.raw_arguments is None else call.raw_arguments}
            for call in calls
        ]
        return json.dumps(written[0] if len(written) == 1 else written, ensure_ascii=False)

    def write_answer(self, text: str) -> str:
        return json.dumps({"name": RESPOND, "arguments": {"text": text}}, ensure_ascii=False)

    def write_results(self, results: Sequence[tuple[str, str]]) -> str:
        return "\n\n".join([*(f"Result of {name}:\n{text}" for name, text in results), _AFTER_RESULTS])

    def request_fields(self, tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:
        return {"response_format": reply_schema(tools, settings)}

    def parse(self, text: str, tools: Collection[str]) -> ParsedReply:
        return parse_json_reply(text, tools)
