"""Provider-independent geography of the map world: geocoding, place search, distances, routes and weather."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from types import MappingProxyType
from typing import Literal, NamedTuple

from pytest_mcpbench.simulated.maps.places import CITIES, PLACES, City, Place
from pytest_mcpbench.text.normal_forms import normal_form

Mode = Literal["driving", "walking", "bicycling", "transit"]

DETOUR: Mapping[str, float] = MappingProxyType({"driving": 1.36, "walking": 1.19, "bicycling": 1.25, "transit": 1.42})
"""Ratio of a route's length to the straight-line distance, by travel mode."""

KILOMETRES_PER_HOUR: Mapping[str, float] = MappingProxyType(
    {"driving": 31.0, "walking": 4.8, "bicycling": 15.5, "transit": 22.0}
)
LONGEST_KILOMETRES: Mapping[str, float] = MappingProxyType(
    {"driving": 3000.0, "walking": 100.0, "bicycling": 500.0, "transit": 3000.0}
)
_EARTH_METRES = 6_371_000
_WEATHER = (("Sunny", "晴"), ("Cloudy", "多云"), ("Overcast", "阴"), ("Light rain", "小雨"), ("Showers", "阵雨"))
_CLOSEST_METRES = 400


class Point(NamedTuple):
    """A point on the earth, in degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True)
class Spot:
    """A location on the map with its address and, if there is one, the place at that location."""

    point: Point
    address: str
    city: City | None
    place: Place | None = None

    @property
    def id(self) -> str:
        return self.place.id if self.place else self.city.key if self.city else ""


class Leg(NamedTuple):
    """A part of a route in one direction, in whole metres and seconds."""

    heading: str
    chinese: str
    metres: int
    seconds: int


@dataclass(frozen=True)
class MapRoute:
    """A route between two spots, in whole metres and seconds."""

    start: Spot
    end: Spot
    metres: int
    seconds: int

    @property
    def legs(self) -> list[Leg]:
        """Return the parts of the route: to the north or the south, then to the east or the west.

        Their metres add up to those of the route. A route that leads to its start has none.
        """
        start, end = self.start.point, self.end.point
        corner = Point(end.latitude, start.longitude)
        northward, eastward = metres_between(start, corner), metres_between(corner, end)
        first = round(self.metres * northward / ((northward + eastward) or 1))
        headings = (
            ("north", "北") if end.latitude > start.latitude else ("south", "南"),
            ("east", "东") if end.longitude > start.longitude else ("west", "西"),
        )
        return [
            Leg(*heading, metres, round(self.seconds * metres / self.metres))
            for heading, metres in zip(headings, (first, self.metres - first), strict=True)
            if metres
        ]


@dataclass(frozen=True)
class Day:
    """The weather in a city on one day, in whole degrees Celsius."""

    date: date
    text: str
    chinese: str
    low: int
    high: int


def locate(text: str, city: str | None = None) -> Spot | None:
    """Return the spot that an address, a name or ``latitude,longitude`` refers to, limited to ``city`` if it is set."""
    point = coordinates(text)
    if point is not None:
        return spot_at(point)
    within = find_city(city) if city else None
    candidates = [place for place in PLACES if (within is None or place.city == within.key) and _refers_to(text, place)]
    if candidates:
        place = max(candidates, key=lambda place: _likeness(text, place))
        return Spot(place_point(place), place.address, city_of(place), place)
    matched_city = find_city(text)
    return (
        Spot(Point(matched_city.latitude, matched_city.longitude), _city_address(matched_city), matched_city)
        if matched_city
        else None
    )


def coordinates(text: str, *, longitude_first: bool = False) -> Point | None:
    """Parse two numbers separated by a comma, or return ``None`` if they are not a point on the earth."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*", text)
    if match is None:
        return None
    first, second = float(match[1]), float(match[2])
    point = Point(second, first) if longitude_first else Point(first, second)
    return point if is_on_earth(point) else None


def is_on_earth(point: Point) -> bool:
    """Return whether latitude and longitude are within their bounds."""
    return abs(point.latitude) <= 90 and abs(point.longitude) <= 180


def spot_at(point: Point) -> Spot:
    """Return the spot at a point: with the address of a place that is close enough, else of the surrounding city."""
    place = min(PLACES, key=lambda place: metres_between(point, place_point(place)))
    if metres_between(point, place_point(place)) <= _CLOSEST_METRES:
        return Spot(point, place.address, city_of(place), place)
    city = min(CITIES, key=lambda city: metres_between(point, Point(city.latitude, city.longitude)))
    is_near = metres_between(point, Point(city.latitude, city.longitude)) <= 60_000
    return Spot(point, _city_address(city) if is_near else "", city if is_near else None)


def find_places(
    query: str, city: str | None = None, around: Point | None = None, radius: float | None = None
) -> list[Place]:
    """Return the places whose kind or name matches a query.

    They are sorted by distance from ``around`` if it is set. Else those that the query names come first, and the others
    in the order of the world.
    """
    if city:
        within = find_city(city)
    else:
        plain = _plain(query)
        within = next(
            (city for city in CITIES if any(_contains_words(plain, _plain(name)) for name in city.names)), None
        )
    words = _remove_city(query, within) if within and not city else query
    places = [
        place
        for place in PLACES
        if (within is None or place.city == within.key) and (_is_kind(words, place) or _refers_to(words, place))
    ]
    if around is None:
        return sorted(places, key=lambda place: not _refers_to(words, place))
    nearby = [place for place in places if radius is None or metres_between(around, place_point(place)) <= radius]
    return sorted(nearby, key=lambda place: metres_between(around, place_point(place)))


def kind_words() -> list[str]:
    """Return every word that means a kind of place."""
    return list(dict.fromkeys(word for words in _KIND_WORDS.values() for word in words))


def words_for(kind: str) -> tuple[str, ...]:
    """Return the words that mean the kind of a place, in the languages of the world."""
    return _KIND_WORDS.get(kind, (kind,))


def place(place_id: str) -> Place | None:
    """Return the place with the id."""
    return next((place for place in PLACES if place.id == place_id), None)


def city_of(place: Place) -> City:
    """Return the city that a place is in."""
    return next(city for city in CITIES if city.key == place.city)


def find_city(text: str) -> City | None:
    """Return the city that has the text as one of its names or as its code."""
    plain = _plain(text)
    matches = (city for city in CITIES if plain in (city.adcode, *map(_plain, city.names)))
    return next(matches, None)


def route(start: Spot, end: Spot, mode: str) -> MapRoute | None:
    """Return the route from one spot to another, or ``None`` if it is too far for the mode or crosses the sea."""
    straight = metres_between(start.point, end.point)
    countries = {spot.city.country for spot in (start, end) if spot.city}
    crosses_sea = len(countries) == 2 and bool(countries & {"Japan", "USA"})
    if straight > LONGEST_KILOMETRES[mode] * 1000 or crosses_sea:
        return None
    metres = round(straight * DETOUR[mode])
    return MapRoute(start, end, metres, round(metres / 1000 / KILOMETRES_PER_HOUR[mode] * 3600))


def metres_between(first: Point, second: Point) -> float:
    """Return the great-circle distance between two points."""
    latitudes = math.radians(first.latitude), math.radians(second.latitude)
    half_height = math.sin((latitudes[1] - latitudes[0]) / 2) ** 2
    half_width = math.sin(math.radians(second.longitude - first.longitude) / 2) ** 2
    return (
        2
        * _EARTH_METRES
        * math.asin(math.sqrt(half_height + math.cos(latitudes[0]) * math.cos(latitudes[1]) * half_width))
    )


def elevation(point: Point) -> float:
    """Return the elevation of the nearest place, in metres above sea level."""
    nearest = min(PLACES, key=lambda place: metres_between(point, place_point(place)))
    return nearest.elevation


def weather(city: City, first: date, days: int) -> list[Day]:
    """Return the weather of ``days`` days from ``first`` on; a city and day have the same weather in every attempt."""
    forecast: list[Day] = []
    for ahead in range(days):
        day = first + timedelta(days=ahead)
        draw = Random(f"{city.key}/{day.isoformat()}")
        text, chinese = draw.choice(_WEATHER)
        low = round(16 - abs(city.latitude) / 4) + draw.randint(-3, 3)
        forecast.append(Day(day, text, chinese, low, low + draw.randint(5, 10)))
    return forecast


def place_point(place: Place) -> Point:
    """Return the coordinates of a place."""
    return Point(place.latitude, place.longitude)


def _city_address(city: City) -> str:
    return f"{city.names[0]}, {city.country}"


def _refers_to(text: str, place: Place) -> bool:
    """Return whether a text contains one of the place's names or is its address."""
    plain = _plain(text)
    return any(_contains_words(plain, _plain(name)) for name in place.names) or _is_address(
        plain, _plain(place.address)
    )


def _contains_words(text: str, name: str) -> bool:
    return name in text if _is_written_without_spaces(name) else f" {name} " in f" {text} "


def _is_address(text: str, address: str) -> bool:
    """Return whether the text is part of the address and contains a number."""
    if _is_written_without_spaces(address):
        return any(mark.isdigit() for mark in text) and text in address
    words = text.split()
    return len(words) > 1 and any(mark.isdigit() for mark in text) and set(words) <= set(address.split())


def _is_written_without_spaces(text: str) -> bool:
    return any("\u4e00" <= mark <= "\u9fff" for mark in text)


def _likeness(text: str, place: Place) -> int:
    plain, address = _plain(text), _plain(place.address)
    address_score = [len(plain)] if _is_address(plain, address) else []
    return max(
        [*address_score, *(len(name) for name in map(_plain, place.names) if _contains_words(plain, name))], default=0
    )


def _is_kind(query: str, place: Place) -> bool:
    plain = _plain(query)
    return any(_contains_words(plain, _plain(word)) for word in words_for(place.kind))


_MUSEUM = ("museum", "museums", "musée", "musées", "museo", "museos", "музей", "музеи", "博物馆")
_RESTAURANT = ("restaurant", "restaurants", "restaurante", "restaurantes", "ресторан", "рестораны", "餐厅", "餐馆")
_CAFE = ("café", "cafés", "cafe", "cafes", "coffee", "cafetería", "кафе", "кофейня", "咖啡馆")
_PHARMACY = (
    "pharmacy",
    "pharmacies",
    "pharmacie",
    "farmacia",
    "farmacias",
    "аптека",
    "аптеки",
    "аптеку",
    "药店",
    "药房",
)
_STATION = (
    *("station", "stations", "train station", "train stations", "railway station", "railway stations"),
    *("gare", "gares", "estación", "estaciones", "estación de tren"),
    *("вокзал", "вокзалы", "станция", "火车站"),
)
_PARK = ("park", "parks", "parc", "parcs", "parque", "parques", "парк", "парки", "公园")
_BOOKSHOP = (
    *("bookshop", "bookshops", "bookstore", "bookstores", "librairie", "librairies", "librería", "librerías"),
    "书店",
)

_KIND_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("museum", "музей", "博物馆"), _MUSEUM),
        **dict.fromkeys(("restaurant", "restaurante"), _RESTAURANT),
        **dict.fromkeys(("café", "кафе"), _CAFE),
        **dict.fromkeys(("pharmacie", "farmacia", "аптека", "药店"), _PHARMACY),
        **dict.fromkeys(("station", "вокзал", "火车站"), _STATION),
        **dict.fromkeys(("park", "公园"), _PARK),
        "茶馆": ("茶馆", "茶室", "tea house", "tea houses", "teahouse", "teahouses", "чайная", "чайные"),
        "hotel": (
            "hotel",
            "hotels",
            "hôtel",
            "hôtels",
            "hoteles",
            "гостиница",
            "гостиницы",
            "гостиницу",
            "отель",
            "отели",
            "酒店",
            "宾馆",
        ),
        **dict.fromkeys(("bookshop", "书店"), _BOOKSHOP),
    }
)
"""Kind of a place -> words that mean it."""


def _remove_city(query: str, city: City) -> str:
    plain = _plain(query)
    for name in sorted(map(_plain, city.names), key=len, reverse=True):
        if _contains_words(plain, name):
            return plain.replace(name, " ")
    return plain


def _plain(text: str) -> str:
    """Return the words of a text in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+", normal_form("NFKC", text).casefold()))


def names_of(places: Iterable[Place]) -> list[str]:
    """Return the names under which places are listed."""
    return [place.name for place in places]
