"""Index of attempts for the list of the page: a short row for each, and tables of the values that repeat."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.display_text import one_line, visible, visible_values
from pytest_mcpbench.reporting.failure_message import order_reasons

FIELDS = (
    "suite", "model", "labels", "tools", "tags", "task", "trial", "outcome", "reason", "calls", "seconds", "cost",
)  # fmt: skip
"""Fields of a row. The first five are positions in the table of that name."""
_SHARED = 5
REASON_CHARACTERS = 240
"""Length of the reason in a row of the list; the attempt itself shows all reasons in full."""


def in_order(entries: Sequence[Entry]) -> list[int]:
    """Return the positions of entries in the order of the page: by suite, task in natural order, model and trial.

    Attempts at one task stand together, which also makes their data compress well.
    """
    series = _ranks(entry.series for entry in entries)
    models = _ranks(entry.model for entry in entries)

    def key(position: int) -> tuple[Any, ...]:
        entry = entries[position]
        return series[entry.series], natural_key(entry.task_id), models[entry.model], entry.trial

    return sorted(range(len(entries)), key=key)


def short_reason(entry: Entry, record: RunRecord | None) -> str:
    """Return the reason of an outcome on one line; empty for a pass."""
    if entry.error is not None:
        return one_line(entry.error, REASON_CHARACTERS)
    if entry.outcome == "unscored":
        return one_line(entry.why_unscored, REASON_CHARACTERS)
    if entry.outcome == "passed" or record is None:
        return ""
    scores = record.scorecard.scores
    reasons = (f"{name}: {_first(scores[name].reasons)}" for name in record.scorecard.shortfalls)
    return one_line("; ".join(reasons), REASON_CHARACTERS)


@dataclass
class IndexBuilder:
    """Builder of the index, one entry at a time."""

    _tables: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in FIELDS[:_SHARED]})
    _rows: list[list[Any]] = field(default_factory=list)

    def add(self, entry: Entry, reason: str = "") -> None:
        """Append the row of an entry."""
        labels = [f"{taxonomy}: {label}" for taxonomy, labels in entry.failures.items() for label in labels]
        shared = (
            entry.series,
            entry.model,
            sorted({*labels, *(("expected to fail",) if entry.is_xfail else ())}),
            sorted(entry.tool_use),
            dict(sorted(entry.tags.items())),
        )
        self._rows.append(
            [
                *(self._position(name, value) for name, value in zip(FIELDS, shared, strict=False)),
                visible(entry.task_id),
                entry.trial + 1,
                entry.outcome,
                reason,
                entry.tool_calls,
                round(entry.seconds, 3),
                entry.usage.cost_usd,
            ]
        )

    def index(self) -> dict[str, Any]:
        """Return the index as plain JSON."""
        tables = {name: [json.loads(text) for text in table] for name, table in self._tables.items()}
        return {"version": 1, "fields": list(FIELDS), "tables": tables, "rows": self._rows}

    def _position(self, name: str, value: Any) -> int:
        table = self._tables[name]
        return table.setdefault(json.dumps(visible_values(value), ensure_ascii=False), len(table))


def attempt_index(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the index of entries in this order, without reasons, which only records have."""
    builder = IndexBuilder()
    for entry in entries:
        builder.add(entry, short_reason(entry, None))
    return builder.index()


def _first(reasons: Sequence[str]) -> str:
    return next(iter(order_reasons(reasons)), "below its floor")


def _ranks(names: Iterable[str]) -> dict[str, int]:
    """Return the names with their rank by first appearance."""
    return {name: rank for rank, name in enumerate(dict.fromkeys(names))}
