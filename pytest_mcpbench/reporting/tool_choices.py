"""Confusion of tools and mistakes in arguments, summed over attempts so that each task counts once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.natural_order import natural_key, natural_keys
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.statistics.intervals import Interval, wilson
from pytest_mcpbench.core.tool_choice import MISTAKES, NO_TOOL, UNKNOWN_TOOL, ArgumentCheck, Mistake
from pytest_mcpbench.reporting.summary import by_suite_and_model

Cell = tuple[str, str]
"""Expected tool and called tool."""


@dataclass(frozen=True)
class ToolAccuracy:
    """Choices of one tool: recall when it was expected, and precision when it was called."""

    tool: str
    expected: float
    """Reference calls of the tool, each divided by the number of trials of its task."""
    called: float
    """Calls of the tool, divided in the same way."""
    hits: float
    """Expected calls that were made."""
    instead: Mapping[str, float]
    """Tools that were called in its place, the most frequent first."""

    @property
    def recall(self) -> float | None:
        """Share of the expected calls that were made; ``None`` if the tool was never expected."""
        return self.hits / self.expected if self.expected else None

    @property
    def precision(self) -> float | None:
        """Share of the calls that were expected; ``None`` if the tool was never called."""
        return self.hits / self.called if self.called else None

    @property
    def recall_interval(self) -> Interval | None:
        return _interval(self.hits, self.expected)

    @property
    def precision_interval(self) -> Interval | None:
        return _interval(self.hits, self.called)


@dataclass(frozen=True)
class ArgumentMistakes:
    """Mistakes in one parameter of a tool."""

    tool: str
    parameter: str
    compared: float
    """Arguments that were compared with a reference, each divided by the number of trials of its task."""
    mistakes: Mapping[Mistake, float]


@dataclass(frozen=True)
class ModelChoices:
    """Choices of one model at one suite."""

    suite: str
    model: str
    cells: Mapping[Cell, float]
    """Confusion matrix: calls by expected and called tool, each divided by the number of trials of its task."""
    tools: tuple[ToolAccuracy, ...]
    arguments: tuple[ArgumentMistakes, ...]


def model_choices(report: Report) -> tuple[ModelChoices, ...]:
    """Return the choices of each suite and model whose tasks say something about calls."""
    found = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        cells = confusion(entries)
        if cells:
            found.append(ModelChoices(suite, model, cells, tuple(accuracies(cells)), tuple(argument_mistakes(entries))))
    return tuple(found)


def confusion(entries: Iterable[Entry]) -> dict[Cell, float]:
    """Return the confusion matrix of attempts, without empty cells."""
    cells: defaultdict[Cell, float] = defaultdict(float)
    for entry, share in _with_share(entries):
        for chosen in entry.choice.tools if entry.choice else ():
            cells[chosen.expected, chosen.called] += chosen.weight * share
    # Shares such as ninths add up to whole numbers only nearly.
    return {cell: round(weight, 9) for cell, weight in cells.items()}


def accuracies(cells: Mapping[Cell, float]) -> Iterator[ToolAccuracy]:
    """Yield the accuracy of each tool of a confusion matrix, by name."""
    for tool in sorted({name for cell in cells for name in cell} - {NO_TOOL, UNKNOWN_TOOL}, key=natural_key):
        row = {called: weight for (expected, called), weight in cells.items() if expected == tool}
        column = sum(weight for (_, called), weight in cells.items() if called == tool)
        instead = Counter({called: weight for called, weight in row.items() if called != tool})
        yield ToolAccuracy(tool, sum(row.values()), column, row.get(tool, 0.0), dict(instead.most_common()))


def argument_mistakes(entries: Iterable[Entry]) -> Iterator[ArgumentMistakes]:
    """Yield the mistakes in each parameter that was compared, by tool and parameter."""
    checks: defaultdict[tuple[str, str], list[tuple[ArgumentCheck, float]]] = defaultdict(list)
    for entry, share in _with_share(entries):
        for check in entry.choice.arguments if entry.choice else ():
            checks[check.tool, check.parameter].append((check, share))
    for (tool, parameter), found in sorted(checks.items(), key=lambda item: natural_keys(item[0])):
        counts = {kind: round(sum(share for check, share in found if check.mistake == kind), 9) for kind in MISTAKES}
        mistakes = {kind: count for kind, count in counts.items() if count}
        yield ArgumentMistakes(tool, parameter, sum(share for _, share in found), mistakes)


def changed_cells(before: Mapping[Cell, float], after: Mapping[Cell, float]) -> list[tuple[Cell, float, float]]:
    """Return the cells whose weight differs between two matrices with both weights, the greatest change first."""
    pairs = [
        (cell, before.get(cell, 0.0), after.get(cell, 0.0)) for cell in sorted({*before, *after}, key=natural_keys)
    ]
    changed = [pair for pair in pairs if pair[1] != pair[2]]
    return sorted(changed, key=lambda pair: -abs(pair[2] - pair[1]))


def _with_share(entries: Iterable[Entry]) -> Iterator[tuple[Entry, float]]:
    """Yield each attempt that has choices, with one divided by the number of such attempts at its task."""
    chosen: Sequence[Entry] = [entry for entry in entries if entry.choice is not None]
    by_task = group_by(chosen, lambda entry: (entry.suite, entry.file, entry.test, entry.task_id, entry.model))
    for trials in by_task.values():
        yield from ((entry, 1 / len(trials)) for entry in trials)


def _interval(hits: float, of: float) -> Interval | None:
    """Return the 95 % interval of a share in which each task counts once; ``None`` without any."""
    tasks = max(1, round(of))
    return wilson(min(1.0, hits / of) * tasks, tasks) if of else None
