"""Format in which a reply is one JSON object: a call, a list of calls, or the answer.

The answer is an alternative in the form of a call, because small models otherwise repeat a call instead of answering.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any, Literal

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.runtime.models.tool_formats.json_calls import RESPOND, parse_json_reply
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import ParsedReply
from pytest_mcpbench.runtime.models.tool_formats.reply_schema import reply_schema
from pytest_mcpbench.runtime.models.tool_formats.tool_format import described

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
        written = [{"name": call.name, "arguments": _arguments(call)} for call in calls]
        return json.dumps(written[0] if len(written) == 1 else written, ensure_ascii=False)

    def write_answer(self, text: str) -> str:
        return json.dumps({"name": RESPOND, "arguments": {"text": text}}, ensure_ascii=False)

    def write_results(self, results: Sequence[tuple[str, str]]) -> str:
        return "\n\n".join([*(f"Result of {name}:\n{text}" for name, text in results), _AFTER_RESULTS])

    def request_fields(self, tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:
        return {"response_format": reply_schema(tools, settings)}

    def parse(self, text: str, tools: Collection[str]) -> ParsedReply:
        return parse_json_reply(text, tools)


def _arguments(call: Call) -> Any:
    return call.arguments if call.raw_arguments is None else call.raw_arguments
