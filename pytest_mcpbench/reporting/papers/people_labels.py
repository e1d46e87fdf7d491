"""Labels that people gave to what a judge has decided, for the agreement of both by subset (MCP-Persona, Table 7)."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.judgement import POINTS
from pytest_mcpbench.core.report import Entry

_NEEDED = ("task", "statement", "people")
_POINTS = {**POINTS, "1": 1.0, "1.0": 1.0, "0.5": 0.5, "0": 0.0, "0.0": 0.0}


@dataclass(frozen=True)
class PeopleLabels:
    """Points that people gave, by task, model, trial and statement; without model or trial they are for each."""

    points: Mapping[tuple[str, str, str, str], float] = field(default_factory=dict)

    def points_of(self, entry: Entry, statement: str) -> float | None:
        """Return the points of a statement about an attempt; ``None`` if nobody gave any."""
        attempts = ((entry.model, str(entry.trial)), (entry.model, ""), ("", str(entry.trial)), ("", ""))
        keys = ((entry.task_id, model, trial, statement) for model, trial in attempts)
        return next((self.points[key] for key in keys if key in self.points), None)


NO_LABELS = PeopleLabels()


def read_people_labels(text: str, file: str) -> PeopleLabels:
    """Parse a CSV with the columns of ``mcpbench export --table verdicts`` that are needed, and ``people``.

    A row whose column ``people`` is empty has no label.

    Raises:
        TaskError: a column is missing, a label is none, or no row has one.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if missing := [name for name in _NEEDED if name not in (reader.fieldnames or ())]:
        remedy = "Write the labels of people (1, 0.5 or 0) into a column `people` of mcpbench export --table verdicts."
        raise TaskError(f"there is no column {', '.join(missing)}.", SourceLocation(file), remedy=remedy)
    points: dict[tuple[str, str, str, str], float] = {}
    for row in reader:
        written = (row["people"] or "").strip().lower()
        if not written:
            continue
        if written not in _POINTS:
            place = SourceLocation(file, line=reader.line_num)
            raise TaskError(f"{written!r} is not a label.", place, "people", f"Write one of: {', '.join(_POINTS)}.")
        key = (row["task"], row.get("model") or "", row.get("trial") or "", row["statement"])
        points[key] = _POINTS[written]
    if not points:
        raise TaskError("no row has a label of people.", SourceLocation(file), "people")
    return PeopleLabels(points)
