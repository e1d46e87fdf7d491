"""Labels that people gave to what a judge has decided, for the agreement of both by subset (MCP-Persona, Table 7)."""

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.judgement import POINTS
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.variant import Variant

_NEEDED = ("task", "statement", "people")
_OF_ATTEMPT = ("run", "suite", "file", "test", "model", "series", "trial", "arm")
"""Columns that say which attempts at its task a label is for; it is for each where one is empty or missing."""
_POINTS = {**POINTS, "1": 1.0, "1.0": 1.0, "0.5": 0.5, "0": 0.0, "0.0": 0.0}


@dataclass(frozen=True)
class PeopleLabel:
    """Points that people gave to a statement about the attempts that it names."""

    attempt: Mapping[str, str]
    """Column -> value of those attempts."""
    points: float
    place: SourceLocation

    def is_for(self, names: Mapping[str, Collection[str]]) -> bool:
        """Return whether it is for an attempt, which may have several names in a column."""
        return all(value in names[column] for column, value in self.attempt.items())


def label_that_counts(labels: Sequence[PeopleLabel]) -> PeopleLabel:
    """Return the first of the labels for a verdict, which says the most about its attempts.

    Raises:
        TaskError: another one says as much, and gives other points.
    """
    first, *others = labels
    for other in others:
        if len(other.attempt) == len(first.attempt) and other.points != first.points:
            raise TaskError(
                f"line {first.place.line} labels the same verdict differently, with as many columns.",
                other.place,
                "people",
                "Leave one of them, or name more columns in the one that counts.",
            )
    return first


PeopleLabels = Mapping[tuple[str, str], tuple[PeopleLabel, ...]]
"""Task and statement -> labels, those first that say the most about their attempts."""


def names_of_attempt(entry: Entry, run: Path) -> dict[str, Collection[str]]:
    """Return what the columns of a label may say of an attempt, whose model is named without values of a sweep."""
    series = Variant(entry.swept).label(entry.model)
    return {
        "run": (run.resolve().name, str(run)),
        "suite": (entry.suite,),
        "file": (entry.file,),
        "test": (entry.test or "",),
        "model": (entry.model, series),
        "series": (series,),
        "trial": (str(entry.trial),),
        "arm": (entry.arm,),
    }


def read_people_labels(file: Path) -> PeopleLabels:
    """Read a CSV with the columns of ``mcpbench export --table verdicts`` that are needed, and ``people``.

    A row whose column ``people`` is empty has no label.

    Raises:
        TaskError: the file is not UTF-8, a column is missing, a label is none, two rows label the same differently,
            or no row has a label.
    """
    name = str(file)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TaskError("it is not UTF-8.", SourceLocation(name), remedy="Save it as CSV in UTF-8.") from None
    reader = csv.DictReader(io.StringIO(text))
    if missing := [column for column in _NEEDED if column not in (reader.fieldnames or ())]:
        remedy = "Write the labels of people (1, 0.5 or 0) into a column `people` of mcpbench export --table verdicts."
        raise TaskError(f"there is no column {', '.join(missing)}.", SourceLocation(name), remedy=remedy)
    points: dict[tuple[str, ...], float] = {}
    labels: dict[tuple[str, str], list[PeopleLabel]] = defaultdict(list)
    for row in reader:
        written = (row["people"] or "").strip().lower()
        if not written:
            continue
        place = SourceLocation(name, line=reader.line_num)
        if written not in _POINTS:
            raise TaskError(f"{written!r} is not a label.", place, "people", f"Write one of: {', '.join(_POINTS)}.")
        about = {column: value for column in _OF_ATTEMPT if (value := row.get(column))}
        label = PeopleLabel(about, _POINTS[written], place)
        key = (row["task"], row["statement"], *map(str, about.items()))
        if points.setdefault(key, label.points) != label.points:
            raise TaskError("a row above labels the same verdict differently.", place, "people", "Leave one of them.")
        labels[row["task"], row["statement"]].append(label)
    if not points:
        raise TaskError("no row has a label of people.", SourceLocation(name), "people")
    return {key: tuple(sorted(group, key=lambda label: -len(label.attempt))) for key, group in labels.items()}
