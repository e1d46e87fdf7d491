"""Candidates of the stages of the pipeline ``templates``."""

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.candidates import Candidate

Arguments = dict[str, JsonValue]


class TemplateCall(FrozenModel):
    """A reference call with ``<slot>`` and ``<id_result.path>`` in its arguments."""

    server: str
    tool: str
    arguments: Arguments = Field(default_factory=dict)


class ValueSource(FrozenModel):
    """A call whose result has the values of a slot."""

    call: TemplateCall
    field: str = ""
    """Name of the members that are values, at any depth; empty: every text and number."""


class TemplateGroup(Candidate):
    """A template, or several in one request."""

    asks: tuple[str, ...]
    """Texts with ``<slot>`` where a value belongs; each is a sentence or more."""
    steps: tuple[tuple[TemplateCall, ...], ...]
    """Calls of each step of the reference."""
    sources: dict[str, ValueSource] = Field(default_factory=dict)
    """Where the values of a slot come from."""
    values: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """Values of each slot."""
    answers: tuple[str, ...] = ()
    """Texts that a right answer contains, with ``<slot>`` and ``<id_result.path>``."""
    tags: dict[str, str] = Field(default_factory=dict)


class FilledCandidate(Candidate):
    """A template with one value for each slot."""

    request: str
    steps: tuple[tuple[TemplateCall, ...], ...]
    answers: tuple[str, ...] = ()
    tags: dict[str, str] = Field(default_factory=dict)
