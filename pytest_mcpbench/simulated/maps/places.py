"""Cities and places of the map world, with their names in several languages.

Cities and landmarks are real, with real coordinates; shops, cafés and hotels are invented, and so are all ratings,
telephone numbers and opening hours.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class City:
    """A city: the names it is known by, its centre, and the facts that providers report about it."""

    key: str
    names: tuple[str, ...]
    country: str
    adcode: str
    latitude: float
    longitude: float
    elevation: float
    """Metres above the sea."""


@dataclass(frozen=True)
class Place:
    """A place; its first name is the local one, under which results list it."""

    id: str
    names: tuple[str, ...]
    city: str
    address: str
    kind: str
    latitude: float
    longitude: float
    elevation: float
    rating: float
    phone: str
    hours: str

    @property
    def name(self) -> str:
        return self.names[0]


_WORLD = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

CITIES: tuple[City, ...] = tuple(City(**{**row, "names": tuple(row["names"])}) for row in _WORLD["cities"])
PLACES: tuple[Place, ...] = tuple(Place(**{**row, "names": tuple(row["names"])}) for row in _WORLD["places"])
