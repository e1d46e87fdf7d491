"""Messages that a model sees: instructions, the user's context, previous turns, results of calls."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.chat import ChatMessage, Reply
from pytest_mcpbench.core.conditions import ResultForm
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.task import Context, Message, Task, Turn
from pytest_mcpbench.core.tool import Call, CallRecord, ContextRead, ToolResult, ToolSpec

NOT_MADE = "The call was not made: a limit was reached."
NOT_RECORDED = "No result was recorded."


def conversation(
    task: Task,
    assistant: Sequence[Sequence[ChatMessage]],
    tools: Sequence[ToolSpec] = (),
    system: str = "",
    *,
    turns: Sequence[Turn] | None = None,
) -> list[ChatMessage]:
    """Return everything that the model sees before its next message.

    ``assistant`` holds, for each user turn begun, what the agent said and heard in it; the last is the turn at hand.
    Earlier turns that have a recorded reply show that in place of the agent's own (teacher forcing).
    ``system`` is the text of :func:`system_prompt`; ``turns`` are those of a user that answers.
    """
    messages = [ChatMessage("system", system)] if system else []
    for index, (turn, own) in enumerate(zip(task.turns if turns is None else turns, assistant, strict=False)):
        messages.append(ChatMessage("user", turn.user))
        is_past = index < len(assistant) - 1
        messages += gold_messages(turn, index, tools) if is_past and turn.gold else own
    return messages


def assistant_message(reply: Reply) -> ChatMessage:
    """Return the model's own message, as it sees it again."""
    return ChatMessage("assistant", reply.text, calls=reply.calls, echo=reply.echo, parsed=reply.parsed)


@dataclass(frozen=True)
class ResultView:
    """Form in which a client shows results to its model."""

    form: ResultForm = "content"
    limit: int | None = None
    """Characters beyond which only the first part is shown."""
    preview: int | None = None
    """Characters of that part; ``None``: as many as ``limit``."""

    def text(self, result: ToolResult) -> str:
        """Return a result as text, of which a long one is cut, with a note."""
        is_structured = self.form == "structured" and result.structured is not None
        text = json.dumps(result.structured, ensure_ascii=False) if is_structured else result_text(result)
        if self.limit is None or len(text) <= self.limit:
            return text
        return _cut(text, self.preview or self.limit)


WHOLE = ResultView()


def tool_message(
    record: CallRecord | ContextRead, most_characters: int | None = None, view: ResultView = WHOLE
) -> ChatMessage:
    """Return a call's result as a message; text beyond ``most_characters`` is cut, with a note."""
    if record.result is None:
        return ChatMessage("tool", NOT_MADE, call_id=record.id)
    pictures = tuple(block for block in record.result.content if block.text is None)
    text = _cut(view.text(record.result), most_characters)
    return ChatMessage("tool", text, call_id=record.id, content=pictures)


def result_text(result: ToolResult) -> str:
    """Return a result as text: its blocks or, without any, its structured value.

    An empty result is the word ``success`` or ``error``, as models take an empty message for a fault (MCP-Atlas).
    """
    if result.text.strip():
        return result.text
    if result.structured is not None:
        return json.dumps(result.structured, ensure_ascii=False)
    return "error" if result.is_error else "success"


def gold_messages(turn: Turn, index: int, tools: Sequence[ToolSpec] = ()) -> list[ChatMessage]:
    """Return the recorded reply of a turn; each call gets a result and an id that is unique in the conversation."""
    messages: list[ChatMessage] = []
    n_calls = 0
    for assistant, results in _exchanges(turn.gold):
        ids = [f"gold_{index}_{n_calls + offset}" for offset in range(len(assistant.calls))]
        n_calls += len(ids)
        calls = []
        for call, call_id in zip(assistant.calls, ids, strict=True):
            exposed = (tool.name for tool in tools if tool.tool == call.tool and call.server in (None, tool.server))
            calls.append(Call(id=call_id, name=next(exposed, call.tool), arguments=call.arguments))
        messages.append(ChatMessage("assistant", assistant.text, calls=tuple(calls)))
        # The text of each call's result, matched by id or else in order.
        by_id = {message.call_id: message.text for message in results}
        left = [message.text for message in results if message.call_id not in {call.id for call in assistant.calls}]
        texts = [
            by_id[call.id] if call.id in by_id else (left.pop(0) if left else NOT_RECORDED) for call in assistant.calls
        ]
        messages += [ChatMessage("tool", text, call_id=call_id) for call_id, text in zip(ids, texts, strict=True)]
    return messages


def user_context_text(context: Context) -> str:
    """Return the known facts about the user and the time, one per line; empty if there are none."""
    facts = [f"- {label}: {text.strip()}" for label, text in context.necessary.items()]
    facts += [f"- {text.strip()}" for text in context.unnecessary]
    parts = ["What is known about the user:\n" + "\n".join(facts)] if facts else []
    if context.now:
        parts.append(f"It is now {context.now}.")
    return "\n\n".join(parts)


def system_prompt(task: Task, default: str | None = None, instructions: str = "") -> str:
    """Return what a model reads first: the task's prompt, the user's context, instructions; empty if there are none.

    ``default`` is for a task that has no prompt of its own; ``instructions`` are those of the servers.
    """
    own = default if task.system is None else task.system
    return "\n\n".join(part for part in (own, user_context_text(task.context), instructions) if part)


def server_instructions(servers: Iterable[ServerFacts], tools: Iterable[ToolSpec], program: str = "") -> str:
    """Return the instructions of the servers of some tools, each under the name of its server.

    ``program`` is a program under test, whose client got them and decides what its model reads; empty for a model.
    """
    reader = f", of which {program} decides what its model reads" if program else ""
    shown = {tool.server for tool in tools}
    texts = [(each.name, each.instructions.strip()) for each in servers if each.name in shown]
    return "\n\n".join(f"Instructions of the MCP server {name}{reader}:\n{text}" for name, text in texts if text)


def _cut(text: str, most: int | None) -> str:
    if most is None or len(text) <= most:
        return text
    return f"{text[:most]}\n[cut: {most} of {len(text)} characters are shown]"


def _exchanges(gold: Sequence[Message]) -> Iterator[tuple[Message, list[Message]]]:
    """Return each assistant message with the tool messages that follow it."""
    results: list[Message] = []
    assistant: Message | None = None
    for message in gold:
        if message.role == "tool":
            results.append(message)
            continue
        if assistant is not None:
            yield assistant, results
        assistant, results = message, []
    if assistant is not None:
        yield assistant, results
