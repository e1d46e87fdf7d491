"""Two runs beside each other, as text."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.reporting import markdown as md
from pytest_mcpbench.reporting import terminal as term
from pytest_mcpbench.reporting.model_comparison import PASSED, Paired
from pytest_mcpbench.reporting.tables import between

_TASKS_SHOWN = 30


def terminal(pairs: Sequence[Paired], conditions: Sequence[str] = ()) -> str:
    """The table, what it means, the tasks that changed, and the conditions that differ."""
    return "\n".join([*term.drawn(between(pairs)), "", *remarks(pairs), *conditions]) + "\n"


def markdown(pairs: Sequence[Paired], conditions: Sequence[str] = ()) -> str:
    """The same for a comment on a pull request."""
    return md.comparison(between(pairs), [*remarks(pairs), *conditions])


def remarks(pairs: Sequence[Paired]) -> Iterator[str]:
    """Sentences on passes: whether the difference is more than chance, tasks that are in one run only, and flips."""
    for pair in pairs:
        if pair.metric == PASSED:
            yield f"{_who(pair)}: {_finding(pair)}"
            yield from _only(pair)
            yield from _flips(pair)


def _who(pair: Paired) -> str:
    models = pair.right if pair.left == pair.right else f"{pair.right} after {pair.left}"
    return f"{pair.suite}, {models}"


def _finding(pair: Paired) -> str:
    made = pair.comparison
    if made.is_significant:
        return f"{'more' if made.difference > 0 else 'fewer'} passes, more than chance explains"
    if not made.discordant:
        return f"the same {made.tasks} verdicts"
    if made.smallest_detectable is None:
        return f"no difference that {made.tasks} tasks could show"
    return (
        f"no difference beyond chance; with {made.tasks} tasks it would have to be about "
        f"{made.smallest_detectable * 100:.0f} points to be seen"
    )


def _only(pair: Paired) -> Iterator[str]:
    sides = (("first", pair.comparison.only_left), ("second", pair.comparison.only_right))
    for side, tasks in sides:
        if tasks:
            yield f"  left out, with a verdict in the {side} run only: {_some(tasks)}"


def _flips(pair: Paired) -> Iterator[str]:
    lost = [task for task, left, right in pair.changed if right < left]
    won = [task for task, left, right in pair.changed if right > left]
    if lost:
        yield f"  worse: {_some(lost)}"
    if won:
        yield f"  better: {_some(won)}"


def _some(tasks: Sequence[str]) -> str:
    more = f" and {len(tasks) - _TASKS_SHOWN} more" if len(tasks) > _TASKS_SHOWN else ""
    return ", ".join(tasks[:_TASKS_SHOWN]) + more
