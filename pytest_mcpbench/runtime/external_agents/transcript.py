"""Conversation up to a turn as one prompt, for programs that cannot continue a session."""

import json
from collections.abc import Sequence

from pytest_mcpbench.core.chat import ChatMessage
from pytest_mcpbench.core.prompt import gold_messages, result_text
from pytest_mcpbench.core.task import Turn
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import Step

_HEADING = "This is a conversation between a user and you, the assistant, so far. Answer the last message of the user."


def transcript(turns: Sequence[Turn], own: Sequence[Sequence[Step]], tools: Sequence[ToolSpec]) -> str:
    """Return the conversation up to the user's next message.

    Args:
        turns: Messages of the user; a turn with a recorded reply shows that instead of the program's own.
        own: Steps of the program in each turn before.
        tools: Tools under the names that the program sees.
    """
    parts = [_HEADING]
    for index, steps in enumerate(own):
        turn = turns[index]
        parts.append(f"User: {turn.user}")
        parts += _gold_lines(gold_messages(turn, index, tools)) if turn.gold else _step_lines(steps)
    return "\n\n".join((*parts, f"User: {turns[len(own)].user}"))


def _gold_lines(messages: Sequence[ChatMessage]) -> list[str]:
    lines = []
    for message in messages:
        if message.role == "tool":
            lines.append(f"Result: {message.text}")
            continue
        lines += [_call_line(call.name, call.arguments) for call in message.calls]
        lines += [f"Assistant: {message.text}"] if message.text else []
    return lines


def _step_lines(steps: Sequence[Step]) -> list[str]:
    lines = []
    for step in steps:
        lines += [f"Assistant: {step.text}"] if step.text else []
        for call in step.calls:
            lines.append(_call_line(call.name, call.arguments))
            lines += [f"Result: {result_text(call.result)}"] if call.result is not None else []
    return lines


def _call_line(name: str, arguments: object) -> str:
    return f"Assistant calls {name} with {json.dumps(arguments, ensure_ascii=False)}"
