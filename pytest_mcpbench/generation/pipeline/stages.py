"""Stages of a pipeline, and the table of their candidates at the end of a run."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped

Outcome = Sequence[Candidate] | Drop
"""The candidates that a stage makes of one candidate, usually one, or the decision to drop it."""


@dataclass(frozen=True)
class Asking:
    """Questions to a model that a stage asks about one candidate, for the estimate."""

    prompt_tokens: float
    reply_tokens: float
    questions: float = 1.0
    candidates: float | None = None
    """Number of candidates; ``None``: as many as there are when the first question is asked."""


@dataclass(frozen=True)
class Selection:
    """The candidates that a stage keeps of all, and those that it drops."""

    kept: Sequence[Candidate] = ()
    dropped: Sequence[Dropped] = ()
    is_final: bool = True
    """False if the budget ended the stage early: the next run repeats it and goes on from the stored replies."""


@dataclass(frozen=True)
class EachStage:
    """Stage that looks at one candidate at a time. An interrupted run goes on with the next candidate."""

    name: str
    writes: type[Candidate]
    """Type of the candidates that it keeps; the next stage gets them."""
    step: Callable[[Any], Awaitable[Outcome]]
    asks: Asking | None = None
    concurrency: int = 1
    """Number of candidates that it works on at the same time."""


@dataclass(frozen=True)
class WholeStage:
    """Stage that needs all candidates at once, to draw or compare them; the first stage of a pipeline gets none.

    An interrupted run repeats it.
    """

    name: str
    writes: type[Candidate]
    step: Callable[[Sequence[Any]], Selection | Awaitable[Selection]]
    """A plain function, or an async one if it waits for a server or a model."""
    asks: Asking | None = None


Stage = EachStage | WholeStage


@dataclass(frozen=True)
class StageCount:
    """Numbers of a stage's candidates."""

    stage: str
    received: int
    kept: int
    reasons: dict[str, int] = field(default_factory=dict)
    """Reason -> number of candidates that were dropped for it."""

    @property
    def dropped(self) -> int:
        return sum(self.reasons.values())


# Table at the end of a run: candidates of each stage, and why they were dropped.


_MOST_REASONS = 3


def summary(counts: Sequence[StageCount]) -> str:
    """Return a row for each stage, with its most frequent reasons."""
    width = max(len("stage"), *(len(count.stage) for count in counts))
    lines = [f"{'stage':{width}}  {'in':>5}  {'kept':>5}  {'dropped':>7}  reasons"]
    for count in counts:
        numbers = f"{count.received:>5}  {count.kept:>5}  {count.dropped:>7}"
        lines.append(f"{count.stage:{width}}  {numbers}  {'; '.join(_reasons(count))}".rstrip())
    return "\n".join(lines)


def nothing_left(counts: Sequence[StageCount]) -> str:
    """Return the sentence about a run without a candidate at its end: the stage that kept none, and its reasons."""
    stage = next(count for count in counts if not count.kept)
    reasons = "; ".join(_reasons(stage)) or f"it found nothing in {stage.received} candidates"
    return f"nothing is left after the stage {stage.stage}: {reasons}"


def _reasons(count: StageCount) -> Iterator[str]:
    reasons = list(count.reasons.items())
    for reason, number in reasons[:_MOST_REASONS]:
        yield f"{reason} ({number})"
    if len(reasons) > _MOST_REASONS:
        yield f"{len(reasons) - _MOST_REASONS} more reasons"
