"""Candidates for tasks, which stages of a pipeline make, change and drop."""

from dataclasses import dataclass
from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel


class Candidate(FrozenModel):
    """One line of a stage's file. The stages of a pipeline have subclasses with the fields that they need."""

    id: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    """Unique in its file."""
    origin: str = ""
    """Id of the candidate of the stage before; empty if all of them or none led to it. The runner sets it."""


class TaskCandidate(Candidate):
    """A task in the native format of task files, which the proof plays and the suite gets as it is."""

    task: dict[str, JsonValue]


@dataclass(frozen=True)
class Drop:
    """The decision that a candidate goes no further."""

    reason: str
    """The same words for the same cause, because the summary counts them."""
    detail: str = ""


class Dropped(FrozenModel):
    """One line of a stage's file of dropped candidates."""

    id: str
    reason: str
    detail: str = ""
    candidate: dict[str, Any] = Field(default_factory=dict)
    """The candidate as it was when it was dropped."""

    @classmethod
    def of(cls, candidate: Candidate, drop: Drop) -> "Dropped":
        """Return the line for a candidate."""
        return cls(id=candidate.id, reason=drop.reason, detail=drop.detail, candidate=candidate.model_dump(mode="json"))
