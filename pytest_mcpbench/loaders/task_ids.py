"""Unique task ids within a file."""

import re
from dataclasses import dataclass, field

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.text.normal_forms import normal_form

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")
_LENGTH = 48


def normalize_id(preferred_id: str) -> str:
    """Replace every character that an id cannot contain with a dash; return "" if nothing is left."""
    ascii_text = normal_form("NFKD", preferred_id).encode("ascii", "ignore").decode()
    return _FORBIDDEN.sub("-", ascii_text).strip("-")


def slug(text: str) -> str:
    """Return an id made of the text's first words, or "" if it contains no Latin letter or digit."""
    words = normalize_id(text.lower().replace(".", " ")).split("-")
    identifier = ""
    for word in words:
        if identifier and len(identifier) + len(word) >= _LENGTH:
            break
        identifier = f"{identifier}-{word}" if identifier else word[:_LENGTH]
    return identifier


def id_from_place(place: SourceLocation) -> str:
    """Return an id made of a record's line or index."""
    return f"line-{place.line}" if place.line is not None else f"record-{place.index or 0}"


@dataclass
class TaskIds:
    """Ids that are already in use in one file, with the place of the record that has each."""

    _places: dict[str, SourceLocation] = field(default_factory=dict)

    def first_place(self, preferred_id: str) -> SourceLocation | None:
        """Return the place of the record that has the id, or ``None`` if the id is free."""
        return self._places.get(preferred_id)

    def take(self, preferred_id: str, place: SourceLocation) -> tuple[str, tuple[str, ...]]:
        """Reserve and return the id, or the id with the first free number as a suffix and a warning that says so."""
        task_id, number = preferred_id, 1
        while task_id in self._places:
            number += 1
            task_id = f"{preferred_id}-{number}"
        self._places[task_id] = place
        if task_id == preferred_id:
            return task_id, ()
        first = self._places[preferred_id]
        return task_id, (f"the id {preferred_id!r} is already used at {first}; this task is called {task_id}",)
