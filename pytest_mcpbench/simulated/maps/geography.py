"""What can be asked of the map world without any provider: where things are, how far, which way, what weather."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from types import MappingProxyType
from typing import Literal, NamedTuple

from pytest_mcpbench.simulated.maps.places import CITIES, PLACES, City, Place

Mode = Literal["driving", "walking", "bicycling", "transit"]

DETOUR: Mapping[str, float] = MappingProxyType({"driving": 1.36, "walking": 1.19, "bicycling": 1.25, "transit": 1.42})
"""Length of a way over the straight line."""

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
    """Degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True)
class Spot:
    """Somewhere on the map with its address; with the place that is there, if any."""

    point: Point
    address: str
    city: City | None
    place: Place | None = None

    @property
    def id(self) -> str:
        return self.place.id if self.place else self.city.key if self.city else ""


@dataclass(frozen=True)
class Way:
    """A way between two spots; whole metres and seconds."""

    start: Spot
    end: Spot
    metres: int
    seconds: int


@dataclass(frozen=True)
class Day:
    """One day's weather in a city; whole degrees Celsius."""

    date: date
    text: str
    chinese: str
    low: int
    high: int


def located(text: str, city: str | None = None) -> Spot | None:
    """The spot that an address, a name or ``latitude,longitude`` means; in a city, if one is named."""
    point = coordinates(text)
    if point is not None:
        return spot_at(point)
    within = city_named(city) if city else None
    fitting = [place for place in PLACES if (within is None or place.city == within.key) and _means(text, place)]
    if fitting:
        return _spot(max(fitting, key=lambda place: _likeness(text, place)))
    named = city_named(text)
    return Spot(Point(named.latitude, named.longitude), _city_address(named), named) if named else None


def coordinates(text: str, *, longitude_first: bool = False) -> Point | None:
    """Two numbers with a comma between them; ``None`` where it is anything else or no point on the earth."""
    found = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*", text)
    if found is None:
        return None
    first, second = float(found[1]), float(found[2])
    point = Point(second, first) if longitude_first else Point(first, second)
    return point if is_on_earth(point) else None


def is_on_earth(point: Point) -> bool:
    """Whether the degrees are within their bounds."""
    return abs(point.latitude) <= 90 and abs(point.longitude) <= 180


def spot_at(point: Point) -> Spot:
    """The spot at a point: a place that is near enough gives its address, else the city around it."""
    place = min(PLACES, key=lambda place: metres_between(point, place_point(place)))
    if metres_between(point, place_point(place)) <= _CLOSEST_METRES:
        return Spot(point, place.address, city_of(place), place)
    city = min(CITIES, key=lambda city: metres_between(point, Point(city.latitude, city.longitude)))
    is_near = metres_between(point, Point(city.latitude, city.longitude)) <= 60_000
    return Spot(point, _city_address(city) if is_near else "", city if is_near else None)


def found(query: str, city: str | None = None, around: Point | None = None, radius: float | None = None) -> list[Place]:
    """Places whose kind or name a query means, nearest first where a point is given, else in the order of the world."""
    within = city_named(city) if city else _city_within(query)
    words = _without(query, within) if within and not city else query
    places = [
        place
        for place in PLACES
        if (within is None or place.city == within.key) and (_is_kind(words, place) or _means(words, place))
    ]
    if around is None:
        return places
    near = [place for place in places if radius is None or metres_between(around, place_point(place)) <= radius]
    return sorted(near, key=lambda place: metres_between(around, place_point(place)))


def place(place_id: str) -> Place | None:
    """The place with the id."""
    return next((place for place in PLACES if place.id == place_id), None)


def city_of(place: Place) -> City:
    """The city that a place is in."""
    return next(city for city in CITIES if city.key == place.city)


def city_named(text: str) -> City | None:
    """The city that has the text among its names, or as its code."""
    wanted = _plain(text)
    fitting = (city for city in CITIES if wanted in (city.adcode, *map(_plain, city.names)))
    return next(fitting, None)


def way(start: Spot, end: Spot, mode: str) -> Way | None:
    """The way from one spot to another; ``None`` where nobody would go so far."""
    straight = metres_between(start.point, end.point)
    if straight > LONGEST_KILOMETRES[mode] * 1000 or _lies_oversea(start, end):
        return None
    metres = round(straight * DETOUR[mode])
    return Way(start, end, metres, round(metres / 1000 / KILOMETRES_PER_HOUR[mode] * 3600))


def metres_between(one: Point, other: Point) -> float:
    """Along the great circle."""
    latitudes = math.radians(one.latitude), math.radians(other.latitude)
    half_height = math.sin((latitudes[1] - latitudes[0]) / 2) ** 2
    half_width = math.sin(math.radians(other.longitude - one.longitude) / 2) ** 2
    return (
        2
        * _EARTH_METRES
        * math.asin(math.sqrt(half_height + math.cos(latitudes[0]) * math.cos(latitudes[1]) * half_width))
    )


def elevation(point: Point) -> float:
    """Metres above the sea: those of the nearest place."""
    nearest = min(PLACES, key=lambda place: metres_between(point, place_point(place)))
    return nearest.elevation


def weather(city: City, first: date, days: int) -> list[Day]:
    """The weather from a day on; the same for a city and a day in every attempt."""
    return [_day(city, first + timedelta(days=ahead)) for ahead in range(days)]


def place_point(place: Place) -> Point:
    """Where a place is."""
    return Point(place.latitude, place.longitude)


def _day(city: City, day: date) -> Day:
    draw = Random(f"{city.key}/{day.isoformat()}")
    text, chinese = draw.choice(_WEATHER)
    low = round(16 - abs(city.latitude) / 4) + draw.randint(-3, 3)
    return Day(day, text, chinese, low, low + draw.randint(5, 10))


def _spot(place: Place) -> Spot:
    return Spot(place_point(place), place.address, city_of(place), place)


def _city_address(city: City) -> str:
    return f"{city.names[0]}, {city.country}"


def _means(text: str, place: Place) -> bool:
    """Whether a text has one of the place's names in it, or is its address."""
    said = _plain(text)
    return any(_has(said, _plain(name)) for name in place.names) or _is_address(said, _plain(place.address))


def _has(said: str, name: str) -> bool:
    return name in said if _is_written_without_spaces(name) else f" {name} " in f" {said} "


def _is_address(said: str, address: str) -> bool:
    """Whether the text is a beginning or a part of the address that has a number in it."""
    if _is_written_without_spaces(address):
        return any(mark.isdigit() for mark in said) and said in address
    words = said.split()
    return len(words) > 1 and any(mark.isdigit() for mark in said) and set(words) <= set(address.split())


def _is_written_without_spaces(text: str) -> bool:
    return any("\u4e00" <= mark <= "\u9fff" for mark in text)


def _likeness(text: str, place: Place) -> int:
    said, address = _plain(text), _plain(place.address)
    whole = [len(said)] if _is_address(said, address) else []
    return max([*whole, *(len(name) for name in map(_plain, place.names) if _has(said, name))], default=0)


def _is_kind(query: str, place: Place) -> bool:
    said = _plain(query)
    return any(_has(said, _plain(word)) for word in _KINDS.get(place.kind, (place.kind,)))


_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "museum": ("museum", "museums", "musée", "musées", "museo", "museos"),
        "музей": ("музей", "музеи", "museum", "museums"),
        "博物馆": ("博物馆", "museum"),
        "restaurant": ("restaurant", "restaurants"),
        "restaurante": ("restaurante", "restaurantes", "restaurant"),
        "café": ("café", "cafés", "cafe", "coffee"),
        "кафе": ("кафе", "cafe"),
        "茶馆": ("茶馆", "tea house"),
        "pharmacie": ("pharmacie", "pharmacies", "pharmacy"),
        "farmacia": ("farmacia", "farmacias", "pharmacy"),
        "аптека": ("аптека", "аптеки", "pharmacy"),
        "药店": ("药店", "药房", "pharmacy"),
        "hotel": ("hotel", "hotels", "hôtel", "hôtels"),
        "station": ("station", "train station", "railway station", "gare"),
        "火车站": ("火车站", "train station"),
        "bookshop": ("bookshop", "bookshops", "bookstore"),
        "书店": ("书店", "bookshop"),
        "公园": ("公园", "park"),
        "park": ("park", "parks"),
    }
)
"""Kind of a place -> words that mean it."""


def _city_within(query: str) -> City | None:
    said = _plain(query)
    return next((city for city in CITIES if any(_has(said, _plain(name)) for name in city.names)), None)


def _without(query: str, city: City) -> str:
    said = _plain(query)
    for name in sorted(map(_plain, city.names), key=len, reverse=True):
        if _has(said, name):
            return said.replace(name, " ")
    return said


def _plain(text: str) -> str:
    """Words in lower case without punctuation."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _lies_oversea(start: Spot, end: Spot) -> bool:
    countries = {spot.city.country for spot in (start, end) if spot.city}
    return len(countries) == 2 and bool(countries & {"Japan", "USA"})


def names_of(places: Iterable[Place]) -> list[str]:
    """The names under which places are listed."""
    return [place.name for place in places]
