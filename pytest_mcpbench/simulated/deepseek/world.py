"""A conversation with a simulated language model that answers in sentences of the small web."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.websearch.answers import answer

MODELS = ("deepseek-chat", "deepseek-reasoner")


class Model:
    """The model of one attempt, with the conversation that ``multi_turn_chat`` continues.

    The conversation is no part of the world: it is the agent's own scratch pad, and its wording is free.
    """

    def __init__(self, _world: World) -> None:
        self._questions: list[str] = []

    def complete(self, messages: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> str:
        """Answer the user messages of one request."""
        return _reply([text for role, text in map(_spoken, messages) if role == "user"], settings)

    def chat(self, messages: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> str:
        """Add messages to the conversation and answer all that the user has said in it."""
        self._questions += [text for role, text in map(_spoken, messages) if role == "user"]
        return _reply(self._questions, settings)


def _reply(questions: Sequence[str], settings: Mapping[str, Any]) -> str:
    model = settings.get("model", MODELS[0])
    if model not in MODELS:
        raise ToolFailure(f"API error: Model Not Exist: {model}")
    if not questions:
        raise ToolFailure("API error: the last message must come from the user")
    words = answer("\n".join(questions)).split(" ")
    return " ".join(words[: int(settings.get("max_tokens", len(words)))])


def _spoken(message: Mapping[str, Any]) -> tuple[str, str]:
    content = message["content"]
    return message["role"], content["text"] if isinstance(content, Mapping) else content
