"""Format of ReAct: Thought, Action, Action Input and Observation until a Final Answer (MCP-RADAR A.2)."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.models.tool_formats.json_format import decode_at, parse_json_reply
from pytest_mcpbench.models.tool_formats.tool_format import (
    ParsedReply,
    WrittenCall,
    described,
    without_leading_thoughts,
)

# Parser of replies in the form of ReAct: Thought, Action, Action Input, Observation, Final Answer (MCP-RADAR A.2).
#
# An action is a name with ``Action Input``, or one JSON object as in MCP-RADAR. Everything from an ``Observation`` on
# is cut, because only the harness writes observations. Text after ``Final Answer`` is the answer, whatever it contains.
# Marks in a fenced block count only if the reply ends with the block and has no others; otherwise they are an example.

_MARK = re.compile(
    r"^[ \t]*(?:[*#]+[ \t]*)?(Thought|Action[ \t]+Input|Action|Observation|Final[ \t]+Answer)[ \t*]*:[*]*[ \t]*",
    re.MULTILINE | re.IGNORECASE,
)
_FENCED = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"\s*(?:```\w*|`)\s*")
_MOST_PARTS = 50
"""Parts of a text that are read."""
_NO_ACTION = {"none", "n/a", "no action", "final answer"}


@dataclass(frozen=True)
class _Part:
    """One marked part of a reply."""

    mark: str
    value: Any
    """Text, or the JSON value of an action or its input."""
    start: int


def parse_react_reply(text: str, tools: Collection[str]) -> ParsedReply:
    """Return the calls or the answer in a text; ``tools`` are the names that the model was offered."""
    body = _with_marks(without_leading_thoughts(text))
    parts = [*_parts(body)]
    cut = next((part.start for part in parts if part.mark == "observation"), None)
    kept = None if cut is None else body[:cut].rstrip()
    answer = next((part.value for part in parts if part.mark == "final answer"), None)
    try:
        calls = [*_calls(parts)]
    except _NoInputError as error:
        return ParsedReply(problem=f"no 'Action Input:' follows the action {str(error)!r}", kept=kept)
    if answer is not None and calls:
        return ParsedReply(problem="it has an action and a final answer; the answer must wait for the observation")
    if answer is not None:
        return ParsedReply(text=answer)
    if calls:
        thoughts = "\n".join(part.value for part in parts if part.mark == "thought" and part.value)
        return ParsedReply(text=thoughts, calls=tuple(calls), kept=kept)
    if parts:
        return ParsedReply(problem="it has neither 'Action:' nor 'Final Answer:'", kept=kept)
    if _MARK.search(body):
        return ParsedReply(text=body)
    if parse_json_reply(body, tools) != ParsedReply(text=body):
        return ParsedReply(problem="it has JSON in place of 'Action:' and 'Action Input:'")
    return ParsedReply(text=body)


class _NoInputError(Exception):
    """Action without its input."""


def _with_marks(body: str) -> str:
    """Return the reply, or the fenced block at its end if only that has marks."""
    blocks = [*_FENCED.finditer(body)]
    if not blocks or blocks[-1].end() < len(body) or _MARK.search(_without_blocks(body)):
        return body
    content = blocks[-1][0].partition("\n")[2].rstrip().removesuffix("```").strip()
    return content if _MARK.search(content) else body


def _without_blocks(body: str) -> str:
    """Return the text with its fenced blocks blanked out, so that positions agree."""
    return _FENCED.sub(lambda fence: "x" * len(fence[0]), body)


def _parts(body: str) -> Iterator[_Part]:
    """Yield the parts up to an observation or the final answer; marks inside fenced blocks are examples."""
    visible = _without_blocks(body)
    found = _MARK.search(visible)
    for _ in range(_MOST_PARTS):
        if found is None:
            return
        mark = " ".join(found[1].lower().split())
        if mark == "final answer":
            yield _Part(mark, body[found.end() :].strip(), found.start())
            return
        value: Any = None
        end = found.end()
        if mark.startswith("action"):
            # A JSON value may be fenced, in backticks or bare.
            fence = _FENCE.match(body, end)
            position = fence.end() if fence else end + len(body[end:]) - len(body[end:].lstrip())
            value, end = decode_at(body, position) or (None, end)
        following = _MARK.search(visible, end)
        stop = following.start() if following else len(body)
        yield _Part(mark, body[found.end() : stop].strip() if value is None else value, found.start())
        if mark == "observation":
            return
        found = following


def _calls(parts: list[_Part]) -> Iterator[WrittenCall]:
    """Yield the call of each action. Raises _NoInputError for one without input."""
    actions = [part for part in parts if part.mark.startswith("action")]
    for index, part in enumerate(actions):
        if part.mark != "action":
            continue
        if isinstance(part.value, dict | list):
            yield _call_of_object(part.value)
            continue
        name = part.value.strip("`*\"' ")
        if name.lower() in _NO_ACTION:
            continue
        follower = actions[index + 1] if index + 1 < len(actions) else None
        if follower is None or follower.mark != "action input":
            raise _NoInputError(name)
        yield WrittenCall(name, follower.value)


def _call_of_object(value: Any) -> WrittenCall:
    """Return the call that MCP-RADAR's form of an action is: ``server_name``, ``tool_name`` and ``inputs``."""
    if not isinstance(value, dict):
        raise _NoInputError(str(value)[:50])
    name = next((value[key] for key in ("tool_name", "name", "tool") if isinstance(value.get(key), str)), None)
    arguments = next((value[key] for key in ("inputs", "arguments", "input", "parameters") if key in value), None)
    if name is None or arguments is None:
        raise _NoInputError(str(value)[:50])
    return WrittenCall(name, arguments)


_INSTRUCTIONS = """Solve the request in a loop of Thought, Action and Observation. Tools, one a line:
{tools}

A reply that calls a tool:
Thought: what has to be done next
Action: the name of one tool
Action Input: the arguments of the tool as a JSON object

Stop after the Action Input. The next message has the result as "Observation:"; never write it yourself.
The last reply, when no further action is needed:
Thought: I know the final answer
Final Answer: the answer to the request"""


class ReactFormat:
    """Lines with marks as a reply."""

    name: Literal["json", "react"] = "react"
    reminder = "Reply with 'Action:' and 'Action Input:' (a JSON object), or with 'Final Answer:'."

    def instructions(self, tools: Sequence[ToolSpec]) -> str:
        return _INSTRUCTIONS.format(tools="\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in tools))

    def write_calls(self, text: str, calls: Sequence[Call]) -> str:
        thoughts = [f"Thought: {text}"] if text else []
        lines = []
        for call in calls:
            is_object = call.raw_arguments is None
            written = json.dumps(call.arguments, ensure_ascii=False) if is_object else call.raw_arguments
            lines.append(f"Action: {call.name}\nAction Input: {written}")
        return "\n".join([*thoughts, *lines])

    def write_answer(self, text: str) -> str:
        return f"Final Answer: {text}"

    def write_results(self, results: Sequence[tuple[str, str]]) -> str:
        if len(results) == 1:
            return f"Observation: {results[0][1]}"
        return "\n\n".join(f"Observation of {name}: {text}" for name, text in results)

    def request_fields(self, tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:  # noqa: ARG002
        return {"stop": ["\nObservation:"]}

    def parse(self, text: str, tools: Collection[str]) -> ParsedReply:
        return parse_react_reply(text, tools)
