"""A model behind a chat-completions server that plays the references of a suite, or changes of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fixtures.chat_server import Answer, fails, says
from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.models.tool_names import ToolNames

Message = dict[str, Any]
Calls = list[tuple[str, Any]]


@dataclass(frozen=True)
class Turn:
    """The references of one user turn: groups of parallel calls by id, then the answer."""

    groups: tuple[tuple[tuple[str, ExpectedCall], ...], ...]
    answer: str


@dataclass(frozen=True)
class Move:
    """The model's next message: calls with their arguments, or a text."""

    calls: tuple[tuple[str, Any], ...] = ()
    text: str | None = None
    is_last_group: bool = False
    """True for the last calls of the task."""
    answer: str = ""
    """The right answer of the turn."""


Change = Callable[[Move, Sequence[str]], Move]
"""A wrong way to make a move; the second argument are the names of the exposed tools."""


def as_reference(move: Move, _tools: Sequence[str]) -> Move:
    """Return the right move."""
    return move


@dataclass(frozen=True)
class ReferenceModel:
    """A model that knows a task from the name under which it is asked, and all else from the conversation.

    Tools are found among those of the request, and values of earlier results in the texts of the tool messages.
    """

    tasks: Mapping[str, tuple[Turn, ...]]
    change: Change = as_reference

    def __call__(self, body: dict[str, Any]) -> Answer:
        """Return the completion for the body of a request."""
        turns = self.tasks[body["model"]]
        messages, tools = body["messages"], body.get("tools") or []
        number = sum(_is_of_user(message) for message in messages) - 1
        names = [tool["function"]["name"] for tool in tools]
        try:
            move = self.change(_next_move(turns, number, messages, tools), names)
        except LookupError as error:
            return fails(400, f"{body['model']}: {error!r}")
        return says(move.text, *move.calls)


def turns_of(task: Task, answers: Mapping[int, str]) -> tuple[Turn, ...]:
    """Return the turns of a task; ``answers`` has the text that ends each of them."""
    last = len(task.turns) - 1
    identified = _identified(task)
    return tuple(
        Turn(tuple(group for turn, group in identified if min(turn, last) == index), answers[index])
        for index in range(len(task.turns))
    )


def _identified(task: Task) -> list[tuple[int, tuple[tuple[str, ExpectedCall], ...]]]:
    """Return the groups with their turn; a call without id has its number among all calls."""
    numbers = iter(range(1, len(task.expected.flat_calls) + 1))
    return [
        (group.turn, tuple((call.id or str(number), call) for call, number in zip(group.calls, numbers, strict=False)))
        for group in task.expected.calls
    ]


def _next_move(turns: Sequence[Turn], number: int, messages: Sequence[Message], tools: Sequence[Any]) -> Move:
    turn = turns[number]
    begun = max(index for index, message in enumerate(messages) if _is_of_user(message))
    played = sum(bool(message.get("tool_calls")) for message in messages[begun:])
    if played >= len(turn.groups):
        return Move(text=turn.answer, answer=turn.answer)
    results = dict(_results(turns, messages))
    calls = tuple(_call(reference, results, tools) for _, reference in turn.groups[played])
    is_last = played == len(turn.groups) - 1 and not any(later.groups for later in turns[number + 1 :])
    return Move(calls=calls, is_last_group=is_last, answer=turn.answer)


def _call(reference: ExpectedCall, results: Mapping[str, ToolResult], tools: Sequence[Any]) -> tuple[str, Any]:
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    wanted = [f"{reference.server}_{reference.tool}"] if reference.server else []
    known = ToolNames([])
    name = next(name for name in map(known.to_provider, [*wanted, reference.tool]) if name in functions)
    arguments = fill_placeholders(dict(reference.arguments), results, functions[name]["parameters"])
    return name, arguments


def _results(turns: Sequence[Turn], messages: Sequence[Message]) -> Iterator[tuple[str, ToolResult]]:
    """Yield the results in the conversation by the id of their reference call.

    The results of a turn stand in the order of its calls, also where a recorded reply takes the model's place.
    """
    number, left = -1, iter([""])
    for message in messages:
        if _is_of_user(message):
            number += 1
            left = iter([call_id for group in turns[number].groups for call_id, _ in group])
        elif message["role"] == "tool":
            call_id = next(left, None)
            if call_id is not None:
                yield call_id, ToolResult.of_text(message["content"])


def _is_of_user(message: Message) -> bool:
    """Return whether a message is the user's; pictures of tool results are lists of parts."""
    return message["role"] == "user" and isinstance(message["content"], str)
