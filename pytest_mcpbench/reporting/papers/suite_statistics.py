"""Statistics of a suite's tasks: Table 1 of FinMCP-Bench, the sizes by group, and histograms of the sizes."""

import json
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.reporting.aggregates.measures import MeasuredNumber, without_value
from pytest_mcpbench.reporting.charts.axis import number_axis, with_ticks
from pytest_mcpbench.reporting.charts.bars import bins_of, histogram, whole_number_bins
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.sections.layout import figure_grid
from pytest_mcpbench.reporting.papers.task_sizes import (
    DIFFICULTIES,
    EMPTY,
    KINDS,
    NO_CALL,
    UNKNOWN_KIND,
    TaskSize,
    known,
    median_and_mean,
    number_of,
    statistics_rows,
)
from pytest_mcpbench.reporting.tables.grid import CellForm, Grid, GridColumn, GridRow
from pytest_mcpbench.reporting.tables.section import Section, table_section
from pytest_mcpbench.reporting.texts import grid_forms
from pytest_mcpbench.reporting.texts.grid_forms import NamedGrid
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

KIND_NAMES = {**KINDS, NO_CALL: "No tool", UNKNOWN_KIND: "Reference not known"}
CATEGORY_TAGS = ("category", "scenario", "domain")
"""Tags that name the category of a task; the first that any task of the suite has counts."""
HTML, JSON, SVG = "html", "json", "svg"
FORMATS = (*grid_forms.FORMATS, HTML, JSON, SVG)
_MOST_BINS = 20
_MOST_TICKS = 6
_BINS = "a range has its lower end and not its upper one"
_NO_TAG = "no such tag"
_NOT_KNOWN = "not known of any task"


@dataclass(frozen=True)
class Measurement:
    """One size of a task, as a column and as the subject of a histogram."""

    name: str
    of: Callable[[TaskSize], int | None]
    unknown: str = ""
    """Reason, as a predicate of the tasks that do not have it."""


_NO_REFERENCE = "have no reference calls"
MEASUREMENTS = (
    Measurement("Calls", lambda size: size.calls, _NO_REFERENCE),
    Measurement("Steps", lambda size: size.steps, _NO_REFERENCE),
    Measurement("Turns", lambda size: size.turns, "have a user who answers"),
    Measurement("Tools", lambda size: None if size.tools is None else len(size.tools), _NO_REFERENCE),
    Measurement("Tokens", lambda size: size.tokens),
)


@dataclass(frozen=True)
class SuiteStatistics:
    """Sizes of the tasks of a suite, with the tools that its servers offer."""

    name: str
    sizes: tuple[TaskSize, ...]
    unreadable: int = 0
    """Records that are not tasks because of an error; they are in no number."""
    tools: tuple[ToolSpec, ...] | None = None
    """``None``: the servers were not asked."""
    by: tuple[str, ...] = ()
    """Tags by which tasks are grouped, besides kind and difficulty."""

    def grids(self) -> list[Grid]:
        """Return Table 1, and the sizes by kind, by difficulty and by each tag."""
        levels = {**DIFFICULTIES, "": number_formats.NONE}
        usual_tags = [tag for tag in CATEGORY_TAGS if any(tag in size.tags for size in self.sizes)]
        # The first usual tag if none was asked for.
        tags = self.by or usual_tags[:1]
        return [
            self._table_1(),
            self._grouped("kind", "Kind", lambda size: KIND_NAMES[size.kind], KIND_NAMES.values()),
            self._grouped(
                "difficulty",
                "Difficulty",
                lambda size: levels.get(size.difficulty, size.difficulty),
                DIFFICULTIES.values(),
            ),
            *map(self._by_tag, tags),
        ]

    def figures(self) -> list[tuple[str, Figure]]:
        """Return a histogram for each size that any task has, with its name in files."""
        return [(each.name.lower(), figure) for each in MEASUREMENTS if (figure := self._histogram(each))]

    def _table_1(self) -> Grid:
        other_kinds: list[GridRow] = []
        # Kinds that the paper does not have, so that all kinds add up to all samples.
        for kind in (NO_CALL, UNKNOWN_KIND):
            count = sum(size.kind == kind for size in self.sizes)
            if count:
                other_kinds.append(GridRow((KIND_NAMES[kind], "Samples"), (number_of(count), EMPTY, EMPTY)))
        rows = (*statistics_rows(self.sizes), *other_kinds, *self._tool_rows())
        columns = tuple(GridColumn(name) for name in ("Number", "Median", "Avg"))
        notes: list[str] = []
        levels = sum(size.difficulty in DIFFICULTIES for size in self.sizes)
        if levels < len(self.sizes):
            tasks = quantity(len(self.sizes), "task")
            notes.append(f"the difficulty of {len(self.sizes) - levels} of {tasks} is not easy, medium or hard")
        if self.unreadable:
            notes.append(f"records that cannot be read and are left out: {self.unreadable}")
        if self.tools is None:
            notes.append("the servers were not asked for their tools (--servers)")
        return Grid(f"Statistics of {self.name}", ("Type", "Statistic"), columns, rows, tuple(notes))

    def _tool_rows(self) -> Iterator[GridRow]:
        called = {tool for size in self.sizes for tool in size.tools or ()}
        yield GridRow(("MCP", "Tools that references call"), (number_of(len(called)), EMPTY, EMPTY))
        if self.tools is None:
            return
        tokens = [definition_tokens([tool]).total for tool in self.tools]
        yield GridRow(("MCP", "Tools that servers offer"), (number_of(len(self.tools)), EMPTY, EMPTY))
        arguments = [len(tool.input_schema.get("properties", ())) for tool in self.tools]
        yield GridRow(("MCP", "Arguments"), median_and_mean(arguments))
        yield GridRow(("MCP", "Tokens of a definition"), median_and_mean(tokens))

    def _by_tag(self, tag: str) -> Grid:
        return self._grouped(tag, tag.capitalize(), lambda size: size.tags.get(tag, _NO_TAG))

    def _grouped(self, title: str, stub: str, group_of: Callable[[TaskSize], str], order: Collection[str] = ()) -> Grid:
        groups = group_by(self.sizes, group_of)
        usual = [name for name in order if name in groups]
        names = [*usual, *sorted(groups.keys() - set(usual), key=natural_key)]
        rows = [_group_row(name, groups[name]) for name in names]
        columns = ("Tasks", "Calls", "Steps", "Parallel", "Turns", "Tools", "Tokens")
        every = (*rows, _group_row("All", self.sizes)) if len(rows) > 1 or not rows else tuple(rows)
        by_denominator: dict[str, list[str]] = {}
        for each in MEASUREMENTS:
            by_denominator.setdefault(_denominator(each, self.sizes), []).append(each.name.lower())
        notes = (
            "means of the tasks; parallel: tasks with a step of several calls; "
            "tokens: an estimate for the user messages",
            *(f"{', '.join(measured)}: {note}" for note, measured in by_denominator.items() if note),
        )
        return Grid(f"{self.name} by {title}", (stub,), tuple(map(GridColumn, columns)), every, notes)

    def _histogram(self, measurement: Measurement) -> Figure | None:
        values = known(self.sizes, measurement.of)
        if not values:
            return None
        title = f"{measurement.name} of the tasks of {self.name}"
        axis = number_axis(measurement.name.lower())
        missing = _denominator(measurement, self.sizes)
        largest = max(values)
        if largest < _MOST_BINS:
            step = 1 if largest <= _MOST_TICKS else _round_width(largest / _MOST_TICKS)
            axis = with_ticks(axis, range(0, largest + 1, step))
            return histogram(title, whole_number_bins(values, largest), axis=axis, counted="tasks", note=missing)
        note = "; ".join(filter(None, (missing, _BINS)))
        width = _round_width((largest + 1) / _MOST_BINS)
        edges = [float(width * number) for number in range((largest // width) + 2)]
        return histogram(title, bins_of(values, edges), axis=axis, counted="tasks", note=note)


def text(statistics: SuiteStatistics, form: CellForm, format_name: str, columns: int | None = None) -> str:
    """Return the statistics in one of :data:`FORMATS` except SVG, which has a file for each histogram.

    ``columns`` is the width of a terminal, ``None`` for a file.
    """
    if format_name == JSON:
        return json.dumps(_json(statistics), indent=2, ensure_ascii=False) + "\n"
    named = [
        NamedGrid(grid.title, f"tab:{statistics.name}-{number}", grid)
        for number, grid in enumerate(statistics.grids(), 1)
    ]
    if format_name == HTML:
        tables = [
            table_section(f"table-{number}", each.caption, each.table(form)) for number, each in enumerate(named, 1)
        ]
        figures = [figure for _, figure in statistics.figures()]
        histograms = [Section("histograms", "Histograms", figure_grid(figures, "histograms"))] if figures else []
        return "".join(page(title=f"mcpbench: statistics of {statistics.name}", sections=[*tables, *histograms]))
    return grid_forms.grids_text(named, form, format_name, columns)


def _json(statistics: SuiteStatistics) -> dict[str, Any]:
    tasks: list[dict[str, Any]] = []
    for size in statistics.sizes:
        sizes = {each.name.lower(): each.of(size) for each in MEASUREMENTS}
        tasks.append(
            {"id": size.id, "kind": size.kind, "difficulty": size.difficulty or None, **sizes, "tags": dict(size.tags)}
        )
    tables: list[dict[str, Any]] = []
    for grid in statistics.grids():
        names = [column.name for column in grid.columns]
        rows: list[dict[str, Any]] = []
        for row in grid.rows:
            entry: dict[str, Any] = dict(zip(grid.stubs, row.labels, strict=True))
            for name, cell in zip(names, row.cells, strict=True):
                if cell != EMPTY:
                    entry[name] = cell if isinstance(cell, str) else {"value": cell.value, "n": cell.n}
            rows.append(entry)
        tables.append({"title": grid.title, "rows": rows, "notes": list(grid.all_notes)})
    return {
        "suite": statistics.name,
        "unreadable": statistics.unreadable,
        "tables": tables,
        "tasks": tasks,
    }


def _group_row(name: str, sizes: Sequence[TaskSize]) -> GridRow:
    calls, steps, turns, tools, tokens = (_mean(known(sizes, each.of)) for each in MEASUREMENTS)
    parallel = MeasuredNumber(
        float(sum(size.is_parallel for size in sizes)),
        number_formats.whole,
        len(known(sizes, lambda size: size.calls)),
    )
    has_reference = any(size.calls is not None for size in sizes)
    shown = parallel if has_reference else without_value(_NOT_KNOWN)
    return GridRow((name,), (number_of(len(sizes)), calls, steps, shown, turns, tools, tokens))


def _mean(values: Sequence[int]) -> MeasuredNumber:
    return (
        MeasuredNumber(fmean(values), number_formats.two_decimals, len(values)) if values else without_value(_NOT_KNOWN)
    )


def _denominator(measurement: Measurement, sizes: Sequence[TaskSize]) -> str:
    """Return what the number leaves out; nothing if every task counts."""
    count = len(known(sizes, measurement.of))
    return f"of {count} of {len(sizes)} tasks, the others {measurement.unknown}" if count < len(sizes) else ""


def _round_width(width: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, …"""
    power = 10 ** math.floor(math.log10(width))
    return int(next(power * step for step in (1, 2, 5, 10) if power * step >= width))
