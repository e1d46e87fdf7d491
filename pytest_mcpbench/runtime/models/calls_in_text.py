"""Extraction of tool calls that a model wrote into its text as JSON, as several small models do.

Known forms: a fenced block (llama.cpp #12279), ``<tool_call>`` tags (Hermes, Qwen), ``[TOOL_CALLS]`` (Mistral), and a
bare object or list that is the complete text.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.runtime.models.call_arguments import parse_arguments
from pytest_mcpbench.runtime.models.tool_names import ToolNames

_BLOCK = re.compile(
    r"```(?:json|tool_call|tool_code)?\s*(?P<fenced>[\[{].*?)```"
    r"|<tool_call>(?P<tagged>.*?)(?:</tool_call>|\Z)"
    r"|\[TOOL_CALLS\]\s*(?P<marked>\[.*\])"
    r"|\A\s*(?P<bare>[\[{].*)\Z",
    re.DOTALL,
)
_NAME_KEYS = ("name", "tool", "function", "tool_name")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")


def extract_calls_from_text(reply: Reply, names: ToolNames, calls_before: int = 0) -> Reply:
    """Return the reply with the calls moved out of its text; a reply that has calls is returned unchanged."""
    if reply.calls:
        return reply
    calls: list[Call] = []
    rest = _BLOCK.sub(lambda block: _extract_block(block, calls, names, calls_before), reply.text)
    if not calls:
        return reply
    return reply.model_copy(update={"text": rest.strip(), "calls": tuple(calls)})


def _extract_block(block: re.Match[str], calls: list[Call], names: ToolNames, calls_before: int) -> str:
    """Append the calls of a block to ``calls`` and return the text that replaces the block."""
    objects = [*_decode_objects(next(text for text in block.groups() if text is not None))]
    if not objects or not all(map(_is_call, objects)):
        return block.group()
    first = calls_before + len(calls) + 1
    calls += [_build_call(value, number, names) for number, value in enumerate(objects, first)]
    return ""


def _decode_objects(text: str) -> Iterator[Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from value if isinstance(value, list) else [value]


def _is_call(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _first_string(value, _NAME_KEYS) is not None
        and any(key in value for key in _ARGUMENT_KEYS)
    )


def _build_call(value: dict[str, Any], number: int, names: ToolNames) -> Call:
    arguments, raw = parse_arguments(next(value[key] for key in _ARGUMENT_KEYS if key in value))
    name = names.from_provider(_first_string(value, _NAME_KEYS) or "")
    return Call(id=f"call_{number}", name=name, arguments=arguments, raw_arguments=raw)


def _first_string(value: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), None)
