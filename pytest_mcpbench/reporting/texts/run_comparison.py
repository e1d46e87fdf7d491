"""Text of a comparison of two runs."""

from collections.abc import Iterator, Mapping, Sequence

from pytest_mcpbench.core.gate.result import Explanation
from pytest_mcpbench.reporting.aggregates.model_comparison import PASSED, PairedComparison, mark, severity
from pytest_mcpbench.reporting.aggregates.regressions import LostTask, RunComparison
from pytest_mcpbench.reporting.forms.display_text import one_line, wrap_columns
from pytest_mcpbench.reporting.tables.models import run_comparison_table
from pytest_mcpbench.reporting.texts import terminal as term
from pytest_mcpbench.reporting.texts.explanation import explanation_lines
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key
from pytest_mcpbench.text.words import shortened_list

_TASKS_SHOWN = 30
_LONGEST_REASON = 160


Explanations = Mapping[tuple[str, str], Explanation]
"""Explanation of the difference by suite and by model of the first run."""


def terminal(
    comparison: RunComparison, conditions: Sequence[str], explanations: Explanations, *, columns: int | None = None
) -> str:
    """Return the table, its interpretation, the tasks that changed, and the conditions that differ.

    Lines longer than ``columns`` are wrapped; ``None``: no line is.
    """
    table = term.render_table(run_comparison_table(comparison), columns)
    sentences = (*comparison.remarks, *findings(comparison, explanations), *conditions)
    lines: list[str] = []
    for text in sentences:
        if columns is None:
            lines.append(text)
        else:
            # Each line of a sentence is indented like its first.
            words = text.lstrip(" ")
            indent = " " * (len(text) - len(words))
            lines += (indent + line for line in wrap_columns(words, columns - len(indent)))
    return "\n".join([*table, "", *lines]) + "\n"


def findings(comparison: RunComparison, explanations: Explanations) -> Iterator[str]:
    """Yield sentences about passes: significance of the difference, lost and new tasks, tasks that changed, and why.

    Suites and models that are lost come first, then the others by their difference, the worst first.
    """
    passes = sorted((pair for pair in comparison.pairs if pair.metric == PASSED), key=severity)
    compared = {(pair.suite, pair.left) for pair in passes}
    for suite, model in dict.fromkeys((each.suite, each.model) for each in comparison.lost):
        if (suite, model) not in compared:
            yield f"✗ lost: {suite}, {model}: no task has a verdict in both runs"
            yield from _lost(comparison.lost_by(suite, model))
    for pair in passes:
        models = pair.right if pair.left == pair.right else f"{pair.right} after {pair.left}"
        yield f"{mark(pair)}: {pair.suite}, {models}: {_finding(pair)}"
        if pair.ranges:
            yield f"  with what is unscored: {pair.ranges}"
        if pair.unscored_difference:
            yield f"  {pair.unscored_difference}"
        yield from _lost(comparison.lost_by(pair.suite, pair.left))
        if pair.comparison.only_right:
            new = sorted(pair.comparison.only_right, key=natural_key)
            yield f"  not compared, because only the second run has a verdict: {shortened_list(new, _TASKS_SHOWN)}"
        lost = [task for task, left, right in pair.changed if right < left]
        won = [task for task, left, right in pair.changed if right > left]
        if lost:
            yield f"  worse: {shortened_list(lost, _TASKS_SHOWN)}"
        if won:
            yield f"  better: {shortened_list(won, _TASKS_SHOWN)}"
        yield from (f"  {line}" for line in explanation_lines(explanations.get((pair.suite, pair.left), Explanation())))


def _finding(pair: PairedComparison) -> str:
    comparison = pair.comparison
    if comparison.is_significant:
        direction = "more" if comparison.difference > 0 else "fewer"
        one = ", but not without one of the tasks" if comparison.is_decided_by_one_task else ""
        return f"significantly {direction} passes{one}"
    if not comparison.discordant:
        return f"the {comparison.tasks} verdicts that both runs have are the same"
    if comparison.smallest_detectable is None:
        return f"no significant difference; {comparison.tasks} tasks are too few to detect one"
    return (
        f"no significant difference; {comparison.tasks} tasks can detect differences of about "
        f"{comparison.smallest_detectable * 100:.0f} points or more"
    )


def _lost(tasks: Sequence[LostTask]) -> Iterator[str]:
    """Yield the lost tasks by reason, the most frequent one first."""
    by_reason = group_by(tasks, lambda each: one_line(each.reason, _LONGEST_REASON))
    for reason, group in sorted(by_reason.items(), key=lambda pair: -len(pair[1])):
        yield f"  lost, counts as worse ({reason}): {shortened_list((each.task for each in group), _TASKS_SHOWN)}"
