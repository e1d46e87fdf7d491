"""Text about the scores that a second evaluation of a run's attempts has changed."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.core.score_changes import (
    AttemptComparison,
    changed_outcomes,
    changes_by_metric,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line, short_reason
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.reporting.texts import terminal
from pytest_mcpbench.text.natural_order import NaturalKey, natural_key

_ATTEMPTS_SHOWN = 50
_LONGEST_REASON = 120


def lines(comparisons: Sequence[AttemptComparison]) -> Iterator[str]:
    """Yield the numbers of changed outcomes and scores with their denominators, by metric and by attempt."""
    changed = [each for each in comparisons if each.is_changed]
    total = len(comparisons)
    if not changed:
        yield f"nothing changed: all {total} attempts have the same outcome and the same scores as before"
        return
    yield f"changed: outcome or a score of {len(changed)} of {quantity(total, 'attempt')}"
    outcomes = [f"{count} {before} -> {after}" for (before, after), count in changed_outcomes(comparisons).items()]
    yield f"outcomes changed: {', '.join(outcomes) or 'none'} (of {quantity(total, 'attempt')})"
    for table in (metric_table(comparisons), attempt_table(changed)):
        if table.rows:
            yield ""
            yield from terminal.render_table(table)


def metric_table(comparisons: Sequence[AttemptComparison]) -> Table:
    """Return the table with the number of changed scores of each metric that has one."""
    rows: list[tuple[str, ...]] = []
    for row in changes_by_metric(comparisons):
        if row.changed:
            numbers = row.attempts, row.changed, row.higher, row.lower, row.newly_scored, row.no_longer_scored
            rows.append((one_line(row.metric, 40), *map(str, numbers)))
    headings = ("metric", "attempts", "changed", "higher", "lower", "newly scored", "no longer scored")
    return Table("Changed scores by metric", headings, tuple(rows))


def attempt_table(changed: Sequence[AttemptComparison]) -> Table:
    """Return the table with a row for each changed score; attempts with another outcome come first."""
    ordered = sorted(changed, key=_order)
    rows: list[tuple[str, ...]] = []
    for each in ordered[:_ATTEMPTS_SHOWN]:
        attempt, outcome = each.attempt, _transition(each.before, each.after)
        who = (one_line(attempt.task_id, 60), one_line(attempt.model, 40), str(attempt.trial), outcome)
        if not each.changes:
            rows.append((*who, "", "", "", ""))
        for change in each.changes:
            score = _transition(number_formats.score(change.before), number_formats.score(change.after))
            floor = _transition(_floor(change.floor_before), _floor(change.floor_after))
            reason = short_reason(change.reason, _LONGEST_REASON)
            rows.append((*who, one_line(change.metric, 40), score, floor, reason))
    more = len(ordered) - _ATTEMPTS_SHOWN
    note = f"{more} more attempts are listed by --format json" if more > 0 else ""
    headings = ("task", "model", "trial", "outcome", "metric", "score", "floor", "reason")
    return filled_table("Changed attempts", headings, rows, len(headings), note=note)


def _order(comparison: AttemptComparison) -> tuple[bool, NaturalKey, NaturalKey, NaturalKey, int]:
    attempt = comparison.attempt
    names = natural_key(attempt.suite), natural_key(attempt.task_id), natural_key(attempt.model)
    return comparison.before == comparison.after, *names, attempt.trial


def _floor(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


def _transition(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"
