"""Trajectory of an agent in one attempt."""

from typing import Literal

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.simulated_user import ConversationEnd
from pytest_mcpbench.core.thoughts import without_thoughts
from pytest_mcpbench.core.tool import CallRecord, ContextRead, ToolSearch
from pytest_mcpbench.core.usage import NO_USAGE, Usage

StopReason = Literal[
    "answered",
    "declined",
    "round_limit",
    "call_limit",
    "time_limit",
    "token_limit",
    "cost_limit",
    "repetition",
    "output_too_long",
    "unreadable",
    "routed",
]


UNPLAYABLE = "unplayable"
"""Key, among the notes of a trajectory, of the reason why an agent cannot attempt the task at all."""


ANSWERED_BY = "answered_by"
"""Note with the version of the model, as the provider or the program names it in its reply."""

PROGRAM = "program"
"""Note with the name of a program, or function of the user, that has a client of its own for the servers."""
UNCHECKED_PROGRAM = "unchecked_program"
"""Note with the version of a program whose settings and profile were checked with another one."""

CALL_IN_TEXT = "call_in_text"
"""Note with the name of the tool whose call a model with native calls wrote as text, and made no call at all."""

ANSWER_ORIGIN = "answer_origin"
"""Note of ``oracle`` about its last answer: :data:`DERIVED`, :data:`SHOWN`, :data:`RECITED` or :data:`NOT_COMPARED`."""
DERIVED = "derived from the results of the calls"
SHOWN = "recited after the results have shown what it follows from"
RECITED = "recited from what the task expects"
NOT_COMPARED = "not compared by its words"


ToolFormat = Literal["native", "json", "react"]
"""Form in which a model receives tools and writes calls: fields of the provider's API, or one of two kinds of text."""


class ParsedText(FrozenModel):
    """Text of a reply from which the calls and the answer were parsed."""

    format: Literal["json", "react"]
    raw: str
    """The complete text as the model wrote it."""
    problem: str = ""
    """The reason why it cannot be read, as the model is told; empty for a text that could be read."""


class Step(FrozenModel):
    """One assistant message: its text and its parallel calls."""

    turn: int = 0
    """Index of the user turn that it answers."""
    text: str = ""
    calls: tuple[CallRecord, ...] = ()
    searches: tuple[ToolSearch, ...] = ()
    """Its searches for tools, which are no calls of the task."""
    reads: tuple[ContextRead, ...] = ()
    """The resources, prompts and skills that it read, which are no calls of the task."""
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    """From asking the model to its last token."""
    first_token_seconds: float | None = None
    retries: int = 0
    """Requests to the provider that had to be repeated."""
    finish_reason: str | None = None
    """Why the model stopped writing, in its provider's word."""
    parsed: ParsedText | None = None
    """``None`` if the calls are native ones of the provider."""

    @property
    def said(self) -> str:
        """Return the text without thoughts that the model wrote into it."""
        return without_thoughts(self.text)

    @property
    def requests(self) -> tuple[CallRecord | ToolSearch | ContextRead, ...]:
        """Return everything that was asked for, after which the model goes on."""
        return (*self.calls, *(each for each in self.searches if not each.by_provider), *self.reads)

    @property
    def tool_format(self) -> ToolFormat:
        """Return the form of the calls."""
        return self.parsed.format if self.parsed else "native"

    @property
    def is_unreadable(self) -> bool:
        """Return whether neither calls nor an answer could be read from the reply."""
        return self.parsed is not None and bool(self.parsed.problem)


class SearchOffer(FrozenModel):
    """Tool search that a model was offered in place of the definitions of all tools."""

    ranking: str
    """Way of searching: ``bm25``, ``regex``, the name of an embedding model, or ``provider``."""
    results: int
    """Largest number of tools that a search finds."""
    tokens: int
    """Estimated tokens of the definition of the search, with what it shows of the tools."""


class UserMessage(FrozenModel):
    """One message of a user that answers."""

    text: str
    usage: Usage = NO_USAGE
    """Of the model that plays the user, with replies that could not be used; zero for the task's own words."""
    seconds: float = 0.0
    retries: int = 0
    """Requests to the provider that had to be repeated, and replies that could not be used."""


class Conversation(FrozenModel):
    """The user's side of a conversation."""

    user: str
    """``script``, or the name of the model that plays the user."""
    messages: tuple[UserMessage, ...]
    """The message of each turn, in order; behind them the one with which the user ended the conversation."""
    end: ConversationEnd | None = None
    """``None``: the attempt ended first."""

    @property
    def usage(self) -> Usage:
        """Return the sum over all messages, which is not part of the agent's usage."""
        return sum((message.usage for message in self.messages), NO_USAGE)

    @property
    def seconds(self) -> float:
        """Return how long the user took, which is not part of the agent's time."""
        return sum(message.seconds for message in self.messages)


class Trajectory(FrozenModel):
    """All steps of an attempt, in order."""

    steps: tuple[Step, ...] = ()
    stop: StopReason = "answered"
    seconds: float = 0.0
    notes: dict[str, str] = Field(default_factory=dict)
    """Notes of an agent about itself (retrieved tools, a seed)."""
    conversation: Conversation | None = None
    """``None`` if the user's messages are those of the task."""
    search_offer: SearchOffer | None = None
    """``None`` if the definitions of all tools were shown."""
    offered_skills: tuple[str, ...] | None = None
    """Names of the skills that a model could load; ``None`` if none were offered to it."""

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Return every call in order."""
        return tuple(call for step in self.steps for call in step.calls)

    @property
    def searches(self) -> tuple[ToolSearch, ...]:
        """Return every search for tools in order."""
        return tuple(search for step in self.steps for search in step.searches)

    @property
    def reads(self) -> tuple[ContextRead, ...]:
        """Return every list or read of resources and prompts, and every skill that was loaded, in order."""
        return tuple(read for step in self.steps for read in step.reads)

    @property
    def rounds(self) -> tuple[Step, ...]:
        """Return the steps that called tools."""
        return tuple(step for step in self.steps if step.calls)

    @property
    def answer(self) -> str:
        """Return the last non-empty assistant text; empty if there is none.

        In a conversation with a user that answers, it is everything that the user was told, turn by turn.
        """
        if self.conversation is not None:
            return "\n\n".join(filter(None, self.replies))
        return next((said for step in reversed(self.steps) if (said := step.said).strip()), "")

    @property
    def replies(self) -> tuple[str, ...]:
        """Return the text that the user reads in each turn; empty for a turn that ended without one."""
        by_turn: dict[int, Step] = {step.turn: step for step in self.steps}
        return tuple(said_to_user(by_turn.get(turn)) for turn in range(max(by_turn, default=-1) + 1))

    @property
    def usage(self) -> Usage:
        """Return sum over all steps."""
        return sum((step.usage for step in self.steps), NO_USAGE)


def said_to_user(last: Step | None) -> str:
    """Return the text that the user reads at the end of a turn; text beside calls is not meant for the user."""
    return last.said.strip() if last is not None and not last.requests else ""
