"""Differences between the stored scores of attempts and the scores of a second evaluation of the same evidence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.record import AttemptKey, Outcome, RunRecord
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.text.natural_order import natural_key

NOT_COMPUTED = "not computed"


@dataclass(frozen=True)
class ScoreChange:
    """A score or a floor of one metric that differs."""

    metric: str
    before: float | None
    """``None``: unscored, not applicable, or not computed."""
    after: float | None
    floor_before: float | None
    floor_after: float | None
    reason: str
    """Reason of the new score or, if it has none, of the old one."""

    @property
    def is_of_score(self) -> bool:
        """Return whether the score differs, and not only its floor."""
        return not _are_equal(self.before, self.after)


@dataclass(frozen=True)
class AttemptComparison:
    """The stored and the new evaluation of an attempt."""

    attempt: AttemptKey
    before: Outcome
    after: Outcome
    scored: tuple[str, ...]
    """Metrics that have a score in either evaluation."""
    changes: tuple[ScoreChange, ...]

    @property
    def is_changed(self) -> bool:
        """Return whether the outcome or a score differs; a floor alone changes nothing."""
        return self.before != self.after or any(change.is_of_score for change in self.changes)


@dataclass(frozen=True)
class MetricChanges:
    """Number of attempts whose score of one metric differs."""

    metric: str
    attempts: int
    """Attempts with this metric in either evaluation."""
    higher: int
    lower: int
    newly_scored: int
    """Attempts that had no score and have one now."""
    no_longer_scored: int

    @property
    def changed(self) -> int:
        return self.higher + self.lower + self.newly_scored + self.no_longer_scored


def compare_evaluations(before: RunRecord, after: RunRecord) -> AttemptComparison:
    """Return the differences of two records of the same attempt."""
    metrics = dict.fromkeys((*before.scorecard.scores, *after.scorecard.scores))
    changes = []
    for metric in metrics:
        old, new = before.scorecard.scores.get(metric), after.scorecard.scores.get(metric)
        change = ScoreChange(
            metric,
            before=old.value if old else None,
            after=new.value if new else None,
            floor_before=before.scorecard.floors.get(metric),
            floor_after=after.scorecard.floors.get(metric),
            reason=_reason(old, new),
        )
        if change.is_of_score or not _are_equal(change.floor_before, change.floor_after):
            changes.append(change)
    return AttemptComparison(
        attempt=after.attempt,
        before=before.outcome,
        after=after.outcome,
        scored=tuple(metrics),
        changes=tuple(changes),
    )


def changes_by_metric(comparisons: Sequence[AttemptComparison]) -> tuple[MetricChanges, ...]:
    """Return the numbers of changed scores, the metric with the most changes first."""
    attempts = Counter(metric for each in comparisons for metric in each.scored)
    kinds = Counter((change.metric, _kind(change)) for each in comparisons for change in each.changes)
    rows = [
        MetricChanges(
            metric,
            attempts=count,
            higher=kinds[metric, "higher"],
            lower=kinds[metric, "lower"],
            newly_scored=kinds[metric, "newly scored"],
            no_longer_scored=kinds[metric, "no longer scored"],
        )
        for metric, count in attempts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.changed, natural_key(row.metric))))


def changed_outcomes(comparisons: Iterable[AttemptComparison]) -> Counter[tuple[Outcome, Outcome]]:
    """Return old and new outcome -> number of attempts."""
    return Counter((each.before, each.after) for each in comparisons if each.before != each.after)


def _reason(old: Score | None, new: Score | None) -> str:
    if new is None:
        return NOT_COMPUTED
    now = new.unscored or "; ".join(new.reasons)
    if now or old is None:
        return now
    was = old.unscored or "; ".join(old.reasons)
    return f"before: {was}" if was else ""


def _kind(change: ScoreChange) -> str:
    if not change.is_of_score:
        return "floor"
    if change.before is None or change.after is None:
        return "newly scored" if change.before is None else "no longer scored"
    return "higher" if change.after > change.before else "lower"


def _are_equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < 1e-12
