"""Confusion of tools and mistakes in arguments, summed over attempts so that each task counts once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.tool_choice import MISTAKES, NO_TOOL, UNKNOWN_TOOL, ArgumentCheck, Mistake
from pytest_mcpbench.reporting.aggregates.summary import by_suite_and_model
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval, wilson
from pytest_mcpbench.text.natural_order import natural_key, natural_keys

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


# Cells of MCP-RADAR's Table 4: how many of several reference calls were made, with and without a hint.

METRIC = "operation"
_FEWEST_CALLS = 2

SelectionCell = Literal["all", "fewer", "some", "other"]
"""All reference calls in their order; fewer calls, all right; some right beside wrong ones; anything else."""


@dataclass(frozen=True)
class SelectionCells:
    """Attempts of one model at tasks with several reference calls, by what it called.

    Only calls of tools that the reference has are counted, so that lookups do not matter. For a reference of two calls
    the cells are those of the paper; longer ones are counted by the same rule.
    """

    suite: str
    model: str
    is_hinted: bool
    """True if the request said how many calls it takes."""
    attempts: int
    """Attempts at tasks with at least two reference calls whose ``operation`` has a value."""
    all_right: int
    """All reference calls in their order: ``2/`` without a hint, ``2/2`` with one."""
    fewer_all_right: int
    """Fewer calls than the reference has, all of them right: ``1/1``."""
    some_right: int
    """At least one right call beside wrong ones: ``1/2``."""

    @property
    def other(self) -> int:
        """Attempts without a right call, or with all right calls in another order."""
        return self.attempts - self.all_right - self.fewer_all_right - self.some_right


def selection_cells(report: Report) -> tuple[SelectionCells, ...]:
    """Return the cells of each suite and model that has tasks with several reference calls."""
    results: list[SelectionCells] = []
    for (suite, model), entries in by_suite_and_model(report.entries):
        for with_hint in (False, True):
            asked = [entry for entry in entries if is_hinted(entry) == with_hint]
            kinds = Counter(cell for entry in asked if (cell := selection_cell(entry)))
            if kinds:
                counts = kinds["all"], kinds["fewer"], kinds["some"]
                results.append(SelectionCells(suite, model, with_hint, kinds.total(), *counts))
    return tuple(results)


def selection_cell(entry: Entry) -> SelectionCell | None:
    """Return the cell of an attempt; ``None`` if its task has fewer than two reference calls, or it has no score."""
    counts = entry.counts.get(METRIC, {})
    is_scored = entry.outcome != "error" and entry.scores.get(METRIC) is not None
    if not is_scored or "right_calls" not in counts or counts["expected"] < _FEWEST_CALLS:
        return None
    expected, right, tried = counts["expected"], counts["right_calls"], counts["reference_tool_calls"]
    if entry.scores[METRIC] == 1:
        return "all"
    if not right or right == expected:
        return "other"
    return "fewer" if tried == right else "some"


def is_hinted(entry: Entry) -> bool:
    """Return whether the request said how many calls it takes."""
    return "hint" in entry.tags
