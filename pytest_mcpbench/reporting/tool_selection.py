"""Cells of MCP-RADAR's Table 4: how many of several reference calls were made, with and without a hint."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.summary import by_suite_and_model

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
    return tuple(
        cells
        for (suite, model), entries in by_suite_and_model(report.entries)
        for with_hint in (False, True)
        for cells in _cells(suite, model, with_hint, [entry for entry in entries if is_hinted(entry) == with_hint])
    )


def _cells(suite: str, model: str, with_hint: bool, entries: Sequence[Entry]) -> Iterator[SelectionCells]:
    kinds = Counter(cell for entry in entries if (cell := selection_cell(entry)))
    if kinds:
        yield SelectionCells(suite, model, with_hint, kinds.total(), kinds["all"], kinds["fewer"], kinds["some"])


def selection_cell(entry: Entry) -> SelectionCell | None:
    """Return the cell of an attempt; ``None`` if its task has fewer than two reference calls, or it has no score."""
    if not _has_several_calls(entry):
        return None
    counts = entry.counts[METRIC]
    expected, right, tried = counts["expected"], counts["right_calls"], counts["reference_tool_calls"]
    if entry.scores[METRIC] == 1:
        return "all"
    if not right or right == expected:
        return "other"
    return "fewer" if tried == right else "some"


def is_hinted(entry: Entry) -> bool:
    """Return whether the request said how many calls it takes."""
    return "hint" in entry.tags


def _has_several_calls(entry: Entry) -> bool:
    counts = entry.counts.get(METRIC, {})
    is_scored = entry.outcome != "error" and entry.scores.get(METRIC) is not None
    return is_scored and "right_calls" in counts and counts["expected"] >= _FEWEST_CALLS
