"""Candidates of the stages of the pipeline ``dialogue``."""

from pydantic import JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.task import Turn
from pytest_mcpbench.generation.pipeline.candidates import Candidate


class PersonaCandidate(Candidate):
    """A person, and the tools that what they want is about."""

    persona: str
    server: str
    tools: tuple[str, ...]


class GoalCandidate(PersonaCandidate):
    """A person with a goal, and the message with which they begin."""

    goal: str
    opening: str


class DialogueCall(FrozenModel):
    """A call of the assistant."""

    id: str
    server: str
    tool: str
    arguments: dict[str, JsonValue]


class DialogueTurn(Turn):
    """A message of the user, with the recorded reply and its calls."""

    steps: tuple[tuple[DialogueCall, ...], ...] = ()


class DialogueCandidate(GoalCandidate):
    """A conversation in which the user got what they wanted."""

    turns: tuple[DialogueTurn, ...]
