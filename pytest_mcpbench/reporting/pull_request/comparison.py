"""Comment that compares two runs: a line per suite, the most telling tasks, and folded tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.gate.result import Explanation
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    PASSED,
    PairedComparison,
    mark,
    matching_attempts,
    severity,
)
from pytest_mcpbench.reporting.aggregates.regressions import RunComparison
from pytest_mcpbench.reporting.aggregates.telling_tasks import changed_tasks
from pytest_mcpbench.reporting.forms.number_formats import money, quantity
from pytest_mcpbench.reporting.pull_request import comment_parts
from pytest_mcpbench.reporting.pull_request.comment_parts import (
    CommentPart,
    folded_group,
    folded_list,
    folded_table,
    join_parts,
    open_table,
    task_table,
    telling_table,
)
from pytest_mcpbench.reporting.tables.markdown import escape
from pytest_mcpbench.reporting.tables.models import run_comparison_table
from pytest_mcpbench.reporting.texts.explanation import explanation_tables
from pytest_mcpbench.reporting.texts.run_comparison import findings

# One line per suite and model: pass rate before and after, interval, cost, and tasks that changed.

MOST = 5
"""Suites that are shown openly."""
_OUTWEIGH = " (these by more trials each)"


def headline(pair: PairedComparison, cost: str = "", lost: int = 0) -> str:
    """Return ``89.9 → 85.6 % (−4.3, interval −8.2 … −0.4), cost +6 %, 64 tasks worse, 42 better``.

    Args:
        pair: Passes of both sides.
        cost: Text of :func:`cost_change`; may be empty.
        lost: Number of tasks without a verdict on the second side; they count as worse.
    """
    result = pair.comparison
    rates = f"{result.left * 100:.1f} → {result.right * 100:.1f} %"
    if pair.ranges:
        rates = f"{pair.ranges}; of the tasks decided on both sides {rates}"
    low, high = result.interval
    change = f"{_points(result.difference)}, interval {_points(low)} … {_points(high)}"
    # Fewer tasks can outweigh more, if more of their trials changed.
    worse_outweigh = result.difference < 0 and result.worse < result.better
    better_outweigh = result.difference > 0 and result.better < result.worse
    worse = f"{quantity(result.worse + lost, 'task')} worse" + (f" ({lost} of them without a verdict)" if lost else "")
    counts = (worse + _OUTWEIGH * worse_outweigh, f"{result.better} better" + _OUTWEIGH * better_outweigh)
    return ", ".join(part for part in (f"{rates} ({change})", cost, *counts) if part)


def significance(pair: PairedComparison) -> str:
    """Return ``fewer passes`` or ``more passes``, with a note if one task decides; empty if not significant."""
    if not pair.comparison.is_significant:
        return ""
    one = ", but not without one of the tasks" if pair.comparison.is_decided_by_one_task else ""
    return f"{'more' if pair.comparison.difference > 0 else 'fewer'} passes{one}"


def cost_change(before: Sequence[Entry], after: Sequence[Entry]) -> str:
    """Return the change of the mean cost of an attempt on the tasks of both sides; empty without cost.

    Attempts whose price is unknown are left out.
    """
    common = {entry.task_id for entry in before} & {entry.task_id for entry in after}
    means: list[float | None] = []
    for entries in (before, after):
        costs = [entry.usage.cost_usd for entry in entries if entry.task_id in common and entry.outcome != "error"]
        known = [cost for cost in costs if cost is not None]
        means.append(sum(known) / len(known) if known else None)
    left, right = means
    if left is None or right is None:
        return "cost unknown"
    if left == 0:
        return f"cost $0 → {money(right)} an attempt" if right else ""
    change = f"{round((right / left - 1) * 100):+d}".replace("-", "−")
    return f"cost {change} %"


def _points(share: float) -> str:
    return f"{share * 100:+.1f}".replace("-", "−")


SIDES = ("first run", "second run")


@dataclass(frozen=True)
class ComparedRuns:
    """Two runs with everything that is known about their difference."""

    before: Report
    after: Report
    comparison: RunComparison
    conditions: Sequence[str] = ()
    """Conditions that differ, a line each."""
    explanations: Mapping[tuple[str, str], Explanation] | None = None
    """Explanation of the difference by suite and by model of the first run."""


def text(runs: ComparedRuns) -> str:
    """Return the comparison as Markdown, for a comment on a pull request."""
    tasks, entries = changed_tasks(runs.before, runs.after), (*runs.before.entries, *runs.after.entries)
    lines = list(_headlines(runs))
    more = [f"* … and {len(lines) - MOST} more, folded below"] if len(lines) > MOST else []
    explanations = runs.explanations or {}
    explained = (
        folded_table(table, f"{suite}, {model}: {table.title}")
        for (suite, model), explanation in explanations.items()
        for table in explanation_tables(explanation, *SIDES)
    )
    parts = [
        CommentPart(f"{comment_parts.COMPARISON}\n## mcpbench: comparison"),
        *(CommentPart(f"**{escape(remark)}**") for remark in runs.comparison.remarks),
        CommentPart("\n".join([*lines[:MOST], *more]) or "No suite has a task with a verdict in both runs."),
        *(CommentPart(f"**Different conditions:** {escape(line)}") for line in runs.conditions[:3]),
        *([open_table(telling_table(tasks, entries, are_changes=True))] if tasks else []),
        folded_table(run_comparison_table(runs.comparison), "Every value"),
        folded_list("Findings", [*findings(runs.comparison, explanations), *runs.conditions]),
        *folded_group("Explanations", explained),
        *(
            [folded_table(task_table(f"Changed tasks: {len(tasks)}", tasks, entries, are_changes=True))]
            if tasks
            else []
        ),
    ]
    return join_parts(parts)


def _headlines(runs: ComparedRuns) -> Iterator[str]:
    """Yield a line per suite and model: those that are lost, then significant losses, then the largest loss."""
    passes = [pair for pair in runs.comparison.pairs if pair.metric == PASSED]
    compared = {(pair.suite, pair.left) for pair in passes}
    for suite, model in dict.fromkeys((lost.suite, lost.model) for lost in runs.comparison.lost):
        if (suite, model) not in compared:
            count = len(runs.comparison.lost_by(suite, model))
            yield f"* ✗ lost: **{escape(f'{suite}, {model}')}** no task has a verdict in both runs; {count} lost"
    matches = matching_attempts(runs.before.entries, runs.after.entries)
    costs = {(before[0].series, before[0].model): cost_change(before, after) for before, after in matches}
    for pair in sorted(passes, key=severity):
        lost = len(runs.comparison.lost_by(pair.suite, pair.left))
        verdict = significance(pair)
        line = headline(pair, costs.get((pair.suite, pair.left), ""), lost)
        # The model is named if the suite has several or if it has changed.
        subject = pair.suite
        if pair.left != pair.right:
            subject = f"{pair.suite}, {pair.right} after {pair.left}"
        elif sum(other.suite == pair.suite for other in passes) > 1:
            subject = f"{pair.suite}, {pair.right}"
        unscored = f"; {escape(pair.unscored_difference)}" if pair.unscored_difference else ""
        yield f"* {mark(pair)}: **{escape(subject)}** {line}{f': **{verdict}**' if verdict else ''}{unscored}"
