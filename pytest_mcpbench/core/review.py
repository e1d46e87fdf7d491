"""Decisions of people about tasks, and the verdict that follows from them (FinMCP-Bench, section 2.4)."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from pytest_mcpbench.core.frozen import FrozenModel

DIMENSIONS: Mapping[str, str] = {
    "question_relevance": "Question relevance",
    "tool_chain_completeness": "Tool-chain completeness",
    "tool_chain_consistency": "Tool-chain logical consistency",
    "answer_reliability": "Answer reliability and traceability",
    "data_freshness": "Data freshness",
}
"""The five dimensions of the paper with their names on the page."""
LEAST_SCORE = 4
"""Score that an accepted task has at least in every dimension."""
LONGEST_REASON = 10_000

Kind = Literal["accept", "edit", "reject"]
ReviewState = Literal["accepted", "rejected", "disputed", "open"]
Likert = Annotated[int, Field(strict=True, ge=1, le=5)]


class Decision(FrozenModel):
    """Decision of one reviewer about one version of a task; a line of ``review.jsonl``."""

    version: Literal[1] = 1
    task: str = Field(min_length=1)
    """Id of the task."""
    hash: str = Field(min_length=1)
    """Hash of the version that the decision is about; of an edit, that of the edited task."""
    reviewer: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    decision: Kind
    scores: dict[str, Likert] = Field(default_factory=dict)
    """Dimension -> score from 1 to 5: all of :data:`DIMENSIONS` or none."""
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_REASON)] = ""
    time: str = ""
    """ISO 8601, UTC."""
    is_model: bool = False
    """Whether a model has read the task, and not a person."""
    replaces: str = ""
    """Hash of the version that an edit replaces."""
    row: dict[str, Any] | None = None
    """The edited task as its file has it."""

    @property
    def reviewer_key(self) -> str:
        """Return a name in the form in which reviewers are compared, without regard to letter case and spaces."""
        return " ".join(unicodedata.normalize("NFKC", self.reviewer).casefold().split())

    @property
    def label(self) -> str:
        """Return the reviewer's name as it is shown, with a remark if it is a model."""
        return f"{self.reviewer} (model)" if self.is_model else self.reviewer

    @property
    def accepts(self) -> bool:
        """Return whether the reviewer would keep the task."""
        return self.decision != "reject"

    @model_validator(mode="after")
    def _is_consistent(self) -> "Decision":
        if self.scores and self.scores.keys() != DIMENSIONS.keys():
            raise ValueError(f"scores has all of {', '.join(DIMENSIONS)}, or none")
        if self.accepts and any(score < LEAST_SCORE for score in self.scores.values()):
            raise ValueError(f"an accepted task has a score of at least {LEAST_SCORE} in every dimension")
        if self.decision == "reject" and not self.reason:
            raise ValueError("a rejection has a reason")
        is_edit = self.decision == "edit"
        if is_edit != (self.row is not None) or is_edit != bool(self.replaces):
            raise ValueError("an edit, and nothing else, has the edited row and the hash that it replaces")
        return self


def latest_decisions(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the last decision of each reviewer about each task, in the order of the lines."""
    latest: dict[tuple[str, str], Decision] = {}
    for decision in decisions:
        key = decision.task, decision.reviewer_key
        latest.pop(key, None)
        latest[key] = decision
    return tuple(latest.values())


def verdict_of(decisions: Iterable[Decision], reviewers: int) -> ReviewState:
    """Return the verdict on one version of a task from the latest decision of each reviewer about it.

    With two reviewers or more an acceptance counts with its scores only. A task is open until as many as
    ``reviewers`` have decided, and disputed if they disagree.
    """
    counted = [each for each in decisions if reviewers == 1 or each.scores or not each.accepts]
    if len(counted) < reviewers:
        return "open"
    accepted = sum(each.accepts for each in counted)
    return "accepted" if accepted == len(counted) else "disputed" if accepted else "rejected"
