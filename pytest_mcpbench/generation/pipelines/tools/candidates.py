"""Candidates of the stages of the pipeline ``tools``."""

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.candidates import Candidate

Arguments = dict[str, JsonValue]


class ArgumentSource(FrozenModel):
    """A call before another one: its result has a value that the other takes, or it makes what the other needs."""

    arguments: Arguments
    """Arguments of the tool, one of which is the value."""
    parameter: str = ""
    """Path of the value in the arguments; empty: the arguments are told in the request."""
    tool: str
    """Tool of the same server that returned it."""
    tool_arguments: Arguments
    path: str = ""
    """Path into its result, as in a placeholder; empty: the value is always the same, and a text says it."""
    words: str = ""
    """Words for the value that somebody uses who has seen the result: `the first one`."""


class ToolCandidate(Candidate):
    """A tool, with arguments for which its server returned a result."""

    server: str
    category: str
    tool: str
    proposed_arguments: tuple[Arguments, ...] = ()
    """Arguments that a model proposes and the server has not seen yet."""
    known_arguments: tuple[Arguments, ...] = ()
    """Arguments that work in a fresh state; those of ``sources`` may need the call of the source."""
    sources: tuple[ArgumentSource, ...] = ()
    equal_tools: tuple[str, ...] = ()
    """Tools of the same server that returned the same for the same arguments."""


class PlannedCall(FrozenModel):
    """A call of a chain."""

    id: str
    """Id of the reference call, by which other calls refer to its result."""
    server: str
    category: str
    tool: str
    arguments: Arguments
    """Values, ``<slot>`` for a value of the request, or ``<id_result.path>`` for one of an earlier result."""
    equal_tools: tuple[str, ...] = ()
    referents: dict[str, str] = Field(default_factory=dict)
    """Path of an argument that is the value of an earlier result -> words for it."""
    step: int = 0
    """Calls of the same step can be made at the same time."""


class ChainCandidate(Candidate):
    """Tools that one request is to need, with arguments that work."""

    categories: tuple[str, ...]
    calls: tuple[PlannedCall, ...]
    language: str = "English"


class TemplateCandidate(ChainCandidate):
    """A chain with a template of its request."""

    template: str
    """Text with ``<slot>`` where a value belongs."""
    values: dict[str, JsonValue] = Field(default_factory=dict)
    """Value of each slot."""
    said: dict[str, str] = Field(default_factory=dict)
    """Slot -> words that the request has in place of its value."""


class RequestCandidate(ChainCandidate):
    """A chain with its request; the arguments have their values."""

    request: str
