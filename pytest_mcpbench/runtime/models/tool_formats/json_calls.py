"""Parser of calls that a model wrote as JSON.

Known places of a call: the complete text, a fenced block (llama.cpp #12279), ``<tool_call>`` tags (Hermes, Qwen),
``[TOOL_CALLS]`` (Mistral), and a line of its own. The last part of a reply decides between call and answer: text before
a call is thoughts, and a call before text is an example. An answer written as :data:`RESPOND` counts anywhere.
"""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.runtime.models.tool_formats.lenient_json import decode_at
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import ParsedReply, WrittenCall, without_leading_thoughts

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
    """JSON in a text: its kind of place, its calls, and its position with the marks around it."""

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
    return _parse_blocks(body, tools)


def _parse_blocks(body: str, tools: Collection[str]) -> ParsedReply:
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
    return _reply_of(calls, _rest(body, blocks))


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


def _rest(body: str, blocks: list[_Block]) -> str:
    parts, position = [], 0
    for block in blocks:
        parts.append(body[position : block.start].strip())
        position = block.end
    return "\n".join(part for part in parts if part)


def _reply_of(calls: tuple[WrittenCall, ...], text: str = "") -> ParsedReply:
    """Return the reply with these calls, of which one may be the answer."""
    answers = [call for call in calls if call.name == RESPOND]
    if not answers:
        return ParsedReply(text=text, calls=calls)
    if len(answers) < len(calls):
        return ParsedReply(problem=f"it has calls and {RESPOND!r}; the answer must wait for the results of the calls")
    return ParsedReply(text="\n".join(_answer_text(call.arguments) for call in answers))


def _answer_text(arguments: Any) -> str:
    value = arguments
    if isinstance(arguments, dict):
        value = arguments.get("text", next(iter(arguments.values()), "") if len(arguments) == 1 else arguments)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


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
    """Return the call that an object is: a name and arguments, and nothing that a call does not have.

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
