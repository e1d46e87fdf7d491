"""Questions of metrics to a judge, with the judge's verdicts."""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage

POINTS: Mapping[str, float] = MappingProxyType({"fulfilled": 1.0, "partially_fulfilled": 0.5, "not_fulfilled": 0.0})
"""What each label of a graded question is worth (MCP-Atlas, scoring framework; MCP-Persona 3.4)."""


class Question(FrozenModel):
    """One question; two that are equal have the same ``key`` and are asked once."""

    kind: Literal["claim", "checkpoint", "exec", "response", "argument", "text", "failure_modes"]
    statement: str
    """The claim, checkpoint or label that is to be decided."""
    evidence: str
    """The answer, or the calls with results, that the judge sees."""
    context: dict[str, str] = Field(default_factory=dict)
    """What else the judge sees, by heading (the request, the reference calls)."""
    labels: tuple[str, ...] = tuple(POINTS)
    """The labels that a verdict may have."""

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()[:24]


class Verdict(FrozenModel):
    """A judge's decision; ``label`` is ``None`` and ``error`` says why where there is none."""

    label: str | None
    score: float | None = None
    """fulfilled 1, partially 0.5, not 0; ``None`` for other labels."""
    reason: str = ""
    judge: str
    prompt_version: str
    error: str | None = None
    usage: Usage = NO_USAGE
    """What having it decided took; nothing where no model was asked, or long ago."""
