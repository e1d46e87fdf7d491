"""Comment that compares two runs: a line per suite, the most telling tasks, and folded tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.gate.explanation import Explanation
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.comparison_tables import run_comparison_table
from pytest_mcpbench.reporting.explanation import explanation_tables
from pytest_mcpbench.reporting.markdown import escape
from pytest_mcpbench.reporting.model_comparison import PASSED, PairedComparison, mark, matching_attempts, severity
from pytest_mcpbench.reporting.pull_request import headlines, marks
from pytest_mcpbench.reporting.pull_request.parts import (
    Part,
    folded_group,
    folded_list,
    folded_table,
    join_parts,
    open_table,
)
from pytest_mcpbench.reporting.pull_request.task_tables import task_table, telling_table
from pytest_mcpbench.reporting.regressions import RunComparison
from pytest_mcpbench.reporting.run_comparison import findings
from pytest_mcpbench.reporting.telling_tasks import changed_tasks

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
    tasks = changed_tasks(runs.before, runs.after)
    lines = list(_headlines(runs))
    more = [f"* … and {len(lines) - headlines.MOST} more, folded below"] if len(lines) > headlines.MOST else []
    parts = [
        Part(f"{marks.COMPARISON}\n## mcpbench: comparison"),
        Part("\n".join([*lines[: headlines.MOST], *more]) or "No suite has a task with a verdict in both runs."),
        *(Part(f"**Different conditions:** {escape(line)}") for line in runs.conditions[:3]),
        *([open_table(telling_table(tasks, are_changes=True))] if tasks else []),
        *_folded(runs),
        *([folded_table(task_table(f"Changed tasks: {len(tasks)}", tasks, are_changes=True))] if tasks else []),
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
    costs = dict(_costs(runs))
    for pair in sorted(passes, key=severity):
        lost = len(runs.comparison.lost_by(pair.suite, pair.left))
        verdict = headlines.significance(pair)
        line = headlines.headline(pair, costs.get((pair.suite, pair.left), ""), lost)
        subject = f"{mark(pair)}: **{escape(_subject(pair, passes))}**"
        yield f"* {subject} {line}{f': **{verdict}**' if verdict else ''}"


def _subject(pair: PairedComparison, passes: Sequence[PairedComparison]) -> str:
    """Return the suite, with the model if the suite has several or if it has changed."""
    if pair.left != pair.right:
        return f"{pair.suite}, {pair.right} after {pair.left}"
    is_only_one = sum(other.suite == pair.suite for other in passes) == 1
    return pair.suite if is_only_one else f"{pair.suite}, {pair.right}"


def _costs(runs: ComparedRuns) -> Iterator[tuple[tuple[str, str], str]]:
    before: Sequence[Entry]
    for before, after in matching_attempts(runs.before.entries, runs.after.entries):
        yield (before[0].series, before[0].model), headlines.cost_change(before, after)


def _folded(runs: ComparedRuns) -> Iterator[Part]:
    explanations = runs.explanations or {}
    yield folded_table(run_comparison_table(runs.comparison), "Every value")
    yield folded_list("Findings", [*findings(runs.comparison, explanations), *runs.conditions])
    yield from folded_group(
        "Explanations",
        (
            folded_table(table, f"{suite}, {model}: {table.title}")
            for (suite, model), explanation in explanations.items()
            for table in explanation_tables(explanation, *SIDES)
        ),
    )
