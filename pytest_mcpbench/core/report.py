"""The results of a run as reports read them: one small entry an attempt, and the facts of the run."""

from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import Frozen
from pytest_mcpbench.core.record import Outcome, RunRecord
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage


class RecordRef(Frozen):
    """Where the whole record lies."""

    file: str
    offset: int


class Entry(Frozen):
    """An attempt without its trajectory: what aggregates need, small enough to travel between processes."""

    suite: str
    task_id: str
    model: str
    trial: int = 0
    node_id: str = ""
    outcome: Outcome
    scores: dict[str, float | None] = Field(default_factory=dict)
    """``None``: unscored, see :attr:`unscored`."""
    unscored: dict[str, str] = Field(default_factory=dict)
    """Metric -> why it has no value."""
    counts: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Metric -> what micro averages pool."""
    floors: dict[str, float] = Field(default_factory=dict)
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    rounds: int = 0
    tool_calls: int = 0
    tags: dict[str, str] = Field(default_factory=dict)
    failures: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    error: str | None = None
    error_kind: str | None = None
    record: RecordRef | None = None

    @classmethod
    def of(cls, record: RunRecord, ref: RecordRef | None = None) -> "Entry":
        """The entry of a record."""
        trajectory = record.run.trajectory if record.run else None
        scores = record.scorecard.scores
        return cls(
            suite=record.suite,
            task_id=record.task_id,
            model=record.model,
            trial=record.trial,
            node_id=record.node_id,
            outcome=record.outcome,
            scores={name: score.value for name, score in scores.items()},
            unscored={name: score.unscored for name, score in scores.items() if score.unscored is not None},
            counts={name: score.counts for name, score in scores.items() if score.counts},
            floors=record.scorecard.floors,
            usage=trajectory.usage if trajectory else NO_USAGE,
            seconds=record.seconds,
            rounds=len(trajectory.steps) if trajectory else 0,
            tool_calls=len(trajectory.calls) if trajectory else 0,
            tags=record.tags,
            failures=record.failures,
            error=record.error.message if record.error else None,
            error_kind=record.error.kind if record.error else None,
            record=ref,
        )

    def as_json(self) -> dict[str, Any]:
        """Plain JSON: any other value in a report would kill a worker of xdist."""
        return self.model_dump(mode="json")


class Report(Frozen):
    """All attempts of a run, in the order in which they were reported."""

    entries: tuple[Entry, ...] = ()
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """What ``run.json`` holds: settings, versions, hashes."""
    directory: str | None = None
    """Where the records lie."""
