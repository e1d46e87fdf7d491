"""Index of attempts for the list of the page: a short row for each, and tables of the values that repeat."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from pytest_mcpbench.core.model_names import is_competitor
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.failure_causes import cause_of
from pytest_mcpbench.reporting.forms.display_text import one_line, visible, visible_values
from pytest_mcpbench.text.natural_order import natural_key

SHARED_FIELDS = ("suite", "model", "cause", "labels", "tools", "tags")
"""Fields of a row that are positions in the table of that name."""
OWN_FIELDS = ("task", "trial", "outcome", "reason", "calls", "seconds", "cost", "rank")
FIELDS = (*SHARED_FIELDS, *OWN_FIELDS)
_RANKS = {"failed": 0, "error": 1, "unscored": 1, "passed": 2}
"""Order of the list by outcome: it begins with what failed, and agents without a model follow the models."""
REASON_CHARACTERS = 240
"""Length of the reason in a row of the list; the attempt itself shows all reasons in full."""


def in_order(entries: Sequence[Entry]) -> list[int]:
    """Return the positions of entries in the order of the page: by suite, task in natural order, model and trial.

    Attempts at one task stand together, which also makes their data compress well.
    """
    series = _ranks(entry.series for entry in entries)
    models = _ranks(sorted(dict.fromkeys(entry.model for entry in entries), key=lambda name: not is_competitor(name)))

    def key(position: int) -> tuple[Any, ...]:
        entry = entries[position]
        return series[entry.series], natural_key(entry.task_id), models[entry.model], entry.trial

    return sorted(range(len(entries)), key=key)


def attempt_index(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the index of the entries as plain JSON, with its rows in their order."""
    tables = SharedValues()
    rows = [index_row(entry, tables) for entry in entries]
    return {"version": 1, "fields": list(FIELDS), "tables": tables.as_json(), "rows": rows}


class SharedValues:
    """Tables of the values that rows share, by field; rows have their positions."""

    def __init__(self) -> None:
        self._positions: dict[str, dict[Hashable, int]] = {name: {} for name in SHARED_FIELDS}
        self._values: dict[str, list[Any]] = {name: [] for name in SHARED_FIELDS}

    def position(self, field: str, value: Any) -> int:
        """Return the position of a value in the table of its field; a new value is added.

        A value is a text, a list of texts, or a dictionary from text to text.
        """
        positions, values = self._positions[field], self._values[field]
        key = value if isinstance(value, str) else tuple(value.items() if isinstance(value, dict) else value)
        position = positions.setdefault(key, len(values))
        if position == len(values):
            values.append(visible_values(value))
        return position

    def as_json(self) -> dict[str, list[Any]]:
        """Return the tables as plain JSON; values that are added later are not in them."""
        return {name: list(values) for name, values in self._values.items()}


def index_row(entry: Entry, tables: SharedValues) -> list[Any]:
    """Return the row of an entry, with the values of :data:`FIELDS`."""
    labels = {f"{taxonomy}: {label}" for taxonomy, labels in entry.failures.items() for label in labels}
    if entry.is_xfail:
        labels.add("expected to fail")
    tags = {name: entry.tags[name] for name in _in_order(entry.tags)}
    cause = cause_of(entry).kind if entry.outcome != "passed" else ""
    shared = entry.series, entry.model, cause, _in_order(labels), _in_order(entry.tool_use), tags
    return [
        *(tables.position(field, value) for field, value in zip(SHARED_FIELDS, shared, strict=True)),
        visible(entry.task_id),
        entry.trial,
        entry.outcome,
        outcome_reason(entry),
        entry.tool_calls,
        round(entry.seconds, 3),
        entry.usage.cost_usd,
        _RANKS[entry.outcome] + len(_RANKS) * (not is_competitor(entry.model)),
    ]


def outcome_reason(entry: Entry) -> str:
    """Return the reason of an outcome on one line; empty for a pass."""
    if entry.error is not None:
        return one_line(entry.error, REASON_CHARACTERS)
    if entry.outcome == "unscored":
        return one_line(entry.why_unscored, REASON_CHARACTERS)
    return one_line(entry.reason, REASON_CHARACTERS)


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=natural_key)


def _ranks(names: Iterable[str]) -> dict[str, int]:
    """Return the names with their rank by first appearance."""
    return {name: rank for rank, name in enumerate(dict.fromkeys(names))}
