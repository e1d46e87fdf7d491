"""Candidates of the stages of the pipeline ``tools``."""

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.candidates import Candidate

Arguments = dict[str, JsonValue]


class ToolCandidate(Candidate):
    """A tool, with arguments for which its server returned a result."""

    server: str
    category: str
    tool: str
    proposed_arguments: tuple[Arguments, ...] = ()
    """Arguments that a model proposes and the server has not seen yet."""
    known_arguments: tuple[Arguments, ...] = ()
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


class RequestCandidate(ChainCandidate):
    """A chain with its request; the arguments have their values."""

    request: str
