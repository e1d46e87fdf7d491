"""Attempts of one suite under known conditions, and the tables that group them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.conditions import format_value
from pytest_mcpbench.reporting.aggregates.measures import Measure, MeasuredNumber
from pytest_mcpbench.reporting.papers.details import NO_DETAILS, Details, ExposedTool
from pytest_mcpbench.reporting.tables.grid import Cell, Grid, GridColumn, GridRow
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key, natural_keys
from pytest_mcpbench.text.token_estimate import estimate_tokens


@dataclass(frozen=True)
class PaperAttempt:
    """An entry with the conditions of its run."""

    entry: Entry
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Conditions and limits by name."""
    details: Details = NO_DETAILS
    people: Mapping[str, float] = field(default_factory=dict)
    """Statement that the judge has decided -> points that people gave it."""


Selection = Callable[[PaperAttempt], bool]


@dataclass(frozen=True)
class Slice:
    """Attempts that a row or a column of a table is about, and what is measured of them."""

    labels: tuple[str, ...]
    """Labels of a row; heading, or heading and group, of a column."""
    selects: Selection = lambda _attempt: True
    measure: Measure | None = None


@dataclass(frozen=True)
class Tokenizer:
    """Function that counts the tokens of a text, and its name in notes."""

    name: str
    count: Callable[[str], int]


ESTIMATE = Tokenizer("an estimate without a tokenizer", estimate_tokens)


@dataclass(frozen=True)
class Experiment:
    """Attempts of one suite in one run or several."""

    attempts: tuple[PaperAttempt, ...]
    notes: tuple[str, ...] = ()
    """Sentences about records that are left out, for every table."""
    categories: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Category of the suite -> names of its servers; empty if the runs did not store them."""
    tokenizer: Tokenizer = ESTIMATE
    has_labels: bool = False
    """True if people's labels were read, even if they are for no attempt."""

    def models(self, *axes: str) -> tuple[Slice, ...]:
        """Return a slice for each model, in the order of names.

        Attempts under different conditions are not comparable: a model is repeated for each of its conditions that vary
        between the attempts, except for the ``axes`` of the table.
        """
        labels = self._labels(frozenset(axes))
        names = sorted(dict.fromkeys(labels.values()), key=natural_key)
        return tuple(Slice((name,), _labelled(labels, name)) for name in names)

    def compared_models(self) -> tuple[Slice, ...]:
        """Return a slice for each model that is compared with others: no agent without a model beside models."""
        names = compared_models(attempt.entry.model for attempt in self.attempts)
        labels = self._labels(frozenset())
        kept = {labels[id(attempt)] for attempt in self.attempts if attempt.entry.model in names}
        return tuple(model for model in self.models() if model.labels[0] in kept)

    def versions(self, model: Slice) -> tuple[str, ...]:
        """Return the versions of a model that its provider named, in the order of names."""
        entries = entries_of(filter(model.selects, self.attempts))
        return tuple(sorted({entry.answered_by for entry in entries if entry.answered_by}, key=natural_key))

    @cached_property
    def _version_notes(self) -> tuple[str, ...]:
        """Return a note with the versions of models that have another name in the tables."""
        versions = {model.labels[0]: self.versions(model) for model in self.models()}
        named = (f"{name}: {', '.join(found)}" for name, found in versions.items() if found and found != (name,))
        text = "; ".join(named)
        return (f"versions by their providers: {text}",) if text else ()

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes that every table has."""
        return (*self.notes, *self._version_notes)

    def values(self, tag: str, usual: Sequence[str] = ()) -> list[str]:
        """Return the values of a tag: the usual ones, in their order, followed by the others that attempts have."""
        found = {attempt.entry.tags[tag] for attempt in self.attempts if tag in attempt.entry.tags}
        return [*usual, *sorted(found - set(usual), key=natural_key)]

    def settings(self, name: str) -> list[Any]:
        """Return the values of a condition that the attempts have, in order."""
        found = {format_value(attempt.conditions.get(name)): attempt.conditions.get(name) for attempt in self.attempts}
        return [found[text] for text in sorted(found, key=natural_key)]

    def tasks(self, selects: Selection = lambda _attempt: True) -> list[PaperAttempt]:
        """Return one attempt of each selected task, one that is no error if there is any."""
        by_task = group_by(filter(selects, self.attempts), lambda attempt: attempt.entry.task_id)
        return [min(attempts, key=lambda attempt: attempt.entry.outcome == "error") for attempts in by_task.values()]

    def tools_of_category(self, category: str, selects: Selection) -> dict[str, list[ExposedTool]]:
        """Return the tools that the selected attempts were shown, by server, both in the order of names.

        Servers of other categories, whose tools are distractors there, are left out if the suite has the category.
        """
        servers = self.categories.get(category)
        shown = frozenset[ExposedTool]().union(
            *(attempt.details.tools for attempt in self.attempts if selects(attempt))
        )
        tools = {(tool.server, tool.name): tool for tool in shown if servers is None or tool.server in servers}
        by_server: dict[str, list[ExposedTool]] = {}
        for place in sorted(tools, key=natural_keys):
            by_server.setdefault(place[0], []).append(tools[place])
        return by_server

    @cached_property
    def _varying(self) -> tuple[str, ...]:
        names = dict.fromkeys(name for attempt in self.attempts for name in attempt.conditions)
        return tuple(name for name in names if len(self.settings(name)) > 1)

    def _labels(self, axes: Collection[str]) -> dict[int, str]:
        """Return the label of the model of each attempt, by the attempt's identity."""
        shown = [name for name in self._varying if name not in axes]
        labels: dict[int, str] = {}
        for attempt in self.attempts:
            model = attempt.entry.model
            settings = ", ".join(f"{name} {format_value(attempt.conditions.get(name))}" for name in shown)
            labels[id(attempt)] = f"{model} ({settings})" if settings else model
        return labels


def tagged(tag: str, value: str) -> Selection:
    """Return the selection of the attempts at tasks whose tag has this value."""
    return lambda attempt: attempt.entry.tags.get(tag) == value


def under(name: str, value: Any) -> Selection:
    """Return the selection of the attempts under this condition."""
    return lambda attempt: attempt.conditions.get(name) == value


def both(*selections: Selection) -> Selection:
    """Return the selection of the attempts that all of these select."""
    return lambda attempt: all(selects(attempt) for selects in selections)


def measured_grid(
    experiment: Experiment,
    title: str,
    stubs: tuple[str, ...],
    rows: Sequence[Slice],
    columns: Sequence[Slice],
    *notes: str,
) -> Grid:
    """Return the table whose cells measure the attempts that both the row and the column select."""
    made = [GridRow(row.labels, cells_of(experiment, row, columns)) for row in rows]
    return grid_of(experiment, title, stubs, columns, made, *notes)


def grid_of(
    experiment: Experiment,
    title: str,
    stubs: tuple[str, ...],
    columns: Iterable[Slice],
    rows: Iterable[GridRow],
    *notes: str,
) -> Grid:
    """Return the table of rows that are already made, with the notes of the experiment."""
    return Grid(title, stubs, tuple(map(as_column, columns)), tuple(rows), (*notes, *experiment.all_notes))


def cells_of(experiment: Experiment, row: Slice, columns: Sequence[Slice]) -> tuple[Cell, ...]:
    """Return the cells of a row."""
    in_row = [attempt for attempt in experiment.attempts if row.selects(attempt)]
    cells: list[MeasuredNumber] = []
    for column in columns:
        measure = row.measure or column.measure
        if measure is None:
            raise ValueError(f"neither {row.labels} nor {column.labels} says what to measure")
        cells.append(measure.of(entries_of(attempt for attempt in in_row if column.selects(attempt))))
    return tuple(cells)


def as_column(column: Slice) -> GridColumn:
    """Return the headings of a column; of two labels the first is the heading of its group."""
    return GridColumn(column.labels[-1], " ".join(column.labels[:-1]))


def entries_of(attempts: Iterable[PaperAttempt]) -> list[Entry]:
    """Return the entries of attempts."""
    return [attempt.entry for attempt in attempts]


def _labelled(labels: Mapping[int, str], name: str) -> Selection:
    return lambda attempt: labels[id(attempt)] == name
