"""Format of ReAct: Thought, Action, Action Input and Observation until a Final Answer (MCP-RADAR A.2)."""

import json
from collections.abc import Collection, Sequence
from typing import Any, Literal

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import ParsedReply
from pytest_mcpbench.runtime.models.tool_formats.react_calls import parse_react_reply
from pytest_mcpbench.runtime.models.tool_formats.tool_format import described

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
        return "\n".join([*thoughts, *(f"Action: {call.name}\nAction Input: {_input(call)}" for call in calls)])

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


def _input(call: Call) -> str:
    return json.dumps(call.arguments, ensure_ascii=False) if call.raw_arguments is None else call.raw_arguments
