"""Gives each record of a file an id that is its own."""

import re
import unicodedata
from dataclasses import dataclass, field

from pytest_mcpbench.core.errors import SourceLocation

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")
_LENGTH = 48


def clean_id(wanted: str) -> str:
    """The text with everything that an id cannot hold replaced by a dash; empty where nothing is left."""
    ascii_text = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
    return _FORBIDDEN.sub("-", ascii_text).strip("-")


def slug(text: str) -> str:
    """An id of the text's first words; empty where it has no Latin letter or digit."""
    words = clean_id(text.lower().replace(".", " ")).split("-")
    made = ""
    for word in words:
        if made and len(made) + len(word) >= _LENGTH:
            break
        made = f"{made}-{word}" if made else word[:_LENGTH]
    return made


def place_id(place: SourceLocation) -> str:
    """An id made from where a record stands."""
    return f"line-{place.line}" if place.line is not None else f"record-{place.index or 0}"


@dataclass
class Ids:
    """The ids of one file, and who took each first."""

    _places: dict[str, SourceLocation] = field(default_factory=dict)

    def holder(self, wanted: str) -> SourceLocation | None:
        """Where the record stands that has the id."""
        return self._places.get(wanted)

    def take(self, wanted: str, place: SourceLocation) -> str:
        """The id, or the id with the first number behind it that is free."""
        taken, number = wanted, 1
        while taken in self._places:
            number += 1
            taken = f"{wanted}-{number}"
        self._places[taken] = place
        return taken
