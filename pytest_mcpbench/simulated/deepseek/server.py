"""The DeepSeek server: the two tools of ``deepseek-mcp-server`` (DMontgomery40) over a simulated language model."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Unpack

from pydantic import Field
from typing_extensions import TypedDict

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure
from pytest_mcpbench.simulated.websearch.answers import answer

# A conversation with a simulated language model that answers in sentences of the small web.

MODELS = ("deepseek-chat", "deepseek-reasoner")


class AttemptModel:
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


# The tools.

Role = Literal["system", "user", "assistant"]


class Message(TypedDict):
    """One message of a request."""

    role: Role
    content: str


class TextPart(TypedDict):
    """Text of a message in a conversation."""

    type: Literal["text"]
    text: str


class ConversationMessage(TypedDict):
    """One message of a conversation."""

    role: Role
    content: TextPart


class Settings(TypedDict, total=False):
    """Parameters that both tools pass on to the model."""

    model: Annotated[str, Field(description="deepseek-chat or deepseek-reasoner")]
    temperature: Annotated[float, Field(description="Randomness, from 0 to 2", ge=0, le=2)]
    max_tokens: Annotated[int, Field(description="Longest answer in tokens", ge=1)]
    top_p: Annotated[float, Field(description="Share of the likeliest tokens to draw from", ge=0, le=1)]
    frequency_penalty: Annotated[float, Field(description="Penalty of frequent tokens", ge=-2, le=2)]
    presence_penalty: Annotated[float, Field(description="Penalty of tokens that have occurred", ge=-2, le=2)]


class Completion(Settings, total=False):
    """Parameters of ``chat_completion``."""

    message: Annotated[str, Field(description="The user's question; a shorter form of messages")]
    messages: Annotated[list[Message], Field(description="The messages of the request")]


def chat_completion(language_model: AttemptModel, **request: Unpack[Completion]) -> Any:
    """Put one request to the language model, without memory of earlier ones."""
    short_form = [{"role": "user", "content": request["message"]}] if "message" in request else None
    messages = request.get("messages") or short_form
    if not messages:
        raise ToolFailure("Either 'message' or 'messages' must be provided")
    return language_model.complete(messages, request)


def multi_turn_chat(
    language_model: AttemptModel,
    messages: Annotated[str | list[ConversationMessage], Field(description="What is said next, as text or messages")],
    **settings: Unpack[Settings],
) -> Any:
    """Continue a conversation with the language model, which remembers what was said before."""
    said = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    return language_model.chat(said, settings)


SIMULATION = Simulation(name="deepseek_api", state=AttemptModel, tools=(chat_completion, multi_turn_chat), dialect=ZOD)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
