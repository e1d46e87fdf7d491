"""Text of a comparison of two runs."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.reporting import markdown as md
from pytest_mcpbench.reporting import terminal as term
from pytest_mcpbench.reporting.model_comparison import PASSED, PairedComparison
from pytest_mcpbench.reporting.tables import run_comparison_table

_TASKS_SHOWN = 30


def terminal(pairs: Sequence[PairedComparison], conditions: Sequence[str] = ()) -> str:
    """Return the table, its interpretation, the tasks that changed, and the conditions that differ."""
    return "\n".join([*term.render_table(run_comparison_table(pairs)), "", *findings(pairs), *conditions]) + "\n"


def markdown(pairs: Sequence[PairedComparison], conditions: Sequence[str] = ()) -> str:
    """Return the comparison as Markdown, for a comment on a pull request."""
    return md.comparison(run_comparison_table(pairs), [*findings(pairs), *conditions])


def findings(pairs: Sequence[PairedComparison]) -> Iterator[str]:
    """Yield sentences about passes: significance of the difference, tasks in only one run, and tasks that changed."""
    for pair in pairs:
        if pair.metric == PASSED:
            yield f"{_subject(pair)}: {_finding(pair)}"
            yield from _one_sided_tasks(pair)
            yield from _flips(pair)


def _subject(pair: PairedComparison) -> str:
    models = pair.right if pair.left == pair.right else f"{pair.right} after {pair.left}"
    return f"{pair.suite}, {models}"


def _finding(pair: PairedComparison) -> str:
    comparison = pair.comparison
    if comparison.is_significant:
        return f"significantly {'more' if comparison.difference > 0 else 'fewer'} passes"
    if not comparison.discordant:
        return f"all {comparison.tasks} verdicts are the same"
    if comparison.smallest_detectable is None:
        return f"no significant difference; {comparison.tasks} tasks are too few to detect one"
    return (
        f"no significant difference; {comparison.tasks} tasks can detect differences of about "
        f"{comparison.smallest_detectable * 100:.0f} points or more"
    )


def _one_sided_tasks(pair: PairedComparison) -> Iterator[str]:
    sides = (("first", pair.comparison.only_left), ("second", pair.comparison.only_right))
    for side, tasks in sides:
        if tasks:
            yield f"  not compared, because only the {side} run has a verdict: {_task_list(tasks)}"


def _flips(pair: PairedComparison) -> Iterator[str]:
    lost = [task for task, left, right in pair.changed if right < left]
    won = [task for task, left, right in pair.changed if right > left]
    if lost:
        yield f"  worse: {_task_list(lost)}"
    if won:
        yield f"  better: {_task_list(won)}"


def _task_list(tasks: Sequence[str]) -> str:
    more = f" and {len(tasks) - _TASKS_SHOWN} more" if len(tasks) > _TASKS_SHOWN else ""
    return ", ".join(tasks[:_TASKS_SHOWN]) + more
