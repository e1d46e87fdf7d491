"""Differences of cost, tokens, time and calls between two runs, on the tasks that both know them of."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.model_comparison import matching_attempts
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS, Interval, bootstrap_mean


@dataclass(frozen=True)
class Resource:
    """Quantity that an attempt uses."""

    name: str
    read: Callable[[Entry], float | None]
    """Value of one attempt; ``None`` if it is not known."""
    text: Callable[[float], str]


RESOURCES = (
    Resource("cost", lambda entry: entry.usage.cost_usd, number_formats.money),
    Resource("tokens read", lambda entry: entry.usage.input_tokens, number_formats.tokens),
    Resource("tokens written", lambda entry: entry.usage.output_tokens, number_formats.tokens),
    Resource("time", lambda entry: entry.seconds, number_formats.seconds),
    Resource("tool calls", lambda entry: entry.tool_calls, "{:.2f}".format),
)


@dataclass(frozen=True)
class ResourceChange:
    """Change of the mean of a quantity per attempt; each task counts once."""

    suite: str
    model: str
    resource: Resource
    tasks: int
    """Tasks of which both runs know the quantity; the means and the difference are of these."""
    unknown: int
    """Other tasks of both runs."""
    before: float | None
    """``None`` if no task knows it in both runs."""
    after: float | None
    difference: float | None
    interval: Interval | None
    """95 % interval of the difference (bootstrap over tasks); ``None`` with fewer than six tasks."""

    @property
    def share(self) -> float | None:
        """Return the change as a share of the mean before; ``None`` if that is 0 or unknown."""
        return self.difference / self.before if self.before and self.difference is not None else None


def resource_changes(before: Report, after: Report) -> Iterator[ResourceChange]:
    """Yield the change of each quantity for each suite and model of both runs; attempts with an error are left out."""
    for left, right in matching_attempts(before.entries, after.entries):
        common = {entry.task_id for entry in left} & {entry.task_id for entry in right}
        for resource in RESOURCES if common else ():
            ours, theirs = (_by_task(resource, entries) for entries in (left, right))
            first = left[0]
            tasks = [task for task in ours if task in theirs]
            differences = [theirs[task] - ours[task] for task in tasks]
            largest = max(map(abs, differences), default=0.0)
            has_interval = len(tasks) >= FEWEST_TASKS and largest > 0
            means = [_mean([each[task] for task in tasks]) for each in (ours, theirs)]
            yield ResourceChange(
                suite=first.series,
                model=first.model,
                resource=resource,
                tasks=len(tasks),
                unknown=len(common) - len(tasks),
                before=means[0],
                after=means[1],
                difference=_mean(differences),
                interval=bootstrap_mean([[one] for one in differences], bounds=(-largest, largest))
                if has_interval
                else None,
            )


def resource_table(changes: Sequence[ResourceChange]) -> Table:
    """Return the table of the changes; a quantity that is unknown says so."""
    rows = [
        (
            change.suite,
            model_name(change.model),
            change.resource.name,
            _text(change, change.before),
            _text(change, change.after),
            "" if change.difference is None else _signed(change.resource, change.difference),
            " … ".join(_signed(change.resource, bound) for bound in change.interval or ()),
            "" if change.share is None else f"{change.share * 100:+.1f} %",
            str(change.tasks),
            str(change.unknown),
        )
        for change in changes
    ]
    headings = ("suite", "model", "per attempt", "before", "after", "difference", "95 % interval", "change", "tasks")
    note = "means over the tasks that both runs know it of, without errors; the interval is the bootstrap over tasks"
    return filled_table("Cost, tokens and time", (*headings, "unknown"), rows, 3, ("unknown",), note)


def _signed(resource: Resource, value: float) -> str:
    """Return a difference with its sign."""
    return f"{'−' if value < 0 else '+'}{resource.text(abs(value))}"


def _by_task(resource: Resource, entries: Sequence[Entry]) -> dict[str, float]:
    """Return the mean over the trials of each task; a task of which any trial is unknown is left out."""
    made = group_by((entry for entry in entries if entry.outcome != "error"), lambda entry: entry.task_id)
    values = {task: [resource.read(entry) for entry in trials] for task, trials in made.items()}
    known = {task: [one for one in each if one is not None] for task, each in values.items()}
    return {task: sum(each) / len(each) for task, each in known.items() if len(each) == len(values[task])}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _text(change: ResourceChange, value: float | None) -> str:
    return "unknown" if value is None else change.resource.text(value)
