"""The Google Maps server: the seven tools of ``@modelcontextprotocol/server-google-maps`` over the map world."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, ToolFailure
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.geography import Point, Spot
from pytest_mcpbench.simulated.maps.places import Place

Latitude = Annotated[float, Field(description="Degrees north")]
Longitude = Annotated[float, Field(description="Degrees east")]
TravelMode = Annotated[
    Literal["driving", "walking", "bicycling", "transit"],
    Field(description="How to travel; by car if it is left out", json_schema_extra={"default": "driving"}),
]


class LatLng(TypedDict):
    """A point."""

    latitude: float
    longitude: float


def maps_geocode(_world: World, address: Annotated[str, Field(description="What to look up")]) -> Any:
    """Turn an address or the name of a place into its coordinates."""
    spot = geography.locate(address)
    if spot is None:
        raise ToolFailure("Geocoding failed: ZERO_RESULTS")
    return {"location": _location(spot.point), "formatted_address": spot.address, "place_id": spot.id}


def maps_reverse_geocode(_world: World, latitude: Latitude, longitude: Longitude) -> Any:
    """Tell the address at a pair of coordinates."""
    spot = geography.spot_at(_point(latitude, longitude, "Reverse geocoding failed"))
    if not spot.address:
        raise ToolFailure("Reverse geocoding failed: ZERO_RESULTS")
    components = [{"long_name": spot.city.names[0], "types": ["locality"]}] if spot.city else []
    return {"formatted_address": spot.address, "place_id": spot.id, "address_components": components}


def maps_search_places(
    _world: World,
    query: Annotated[str, Field(description="What to look for")],
    location: Annotated[LatLng | None, Field(description="Point around which to look")] = None,
    radius: Annotated[float | None, Field(description="How far from the point, in metres (at most 50000)")] = None,
) -> Any:
    """Find places by what they are or are called, in a city that the query names or around a point."""
    around = _point(location["latitude"], location["longitude"], "Place search failed") if location else None
    place_summaries: list[dict[str, Any]] = []
    for place in geography.find_places(query, around=around, radius=radius):
        facts = {"place_id": place.id, "rating": place.rating, "types": [place.kind]}
        place_summaries.append(
            {"name": place.name, "formatted_address": place.address, "location": _location_of(place), **facts}
        )
    return {"places": place_summaries}


def maps_place_details(_world: World, place_id: Annotated[str, Field(description="Id from a search")]) -> Any:
    """Give telephone number, rating and opening hours of one place."""
    place = geography.place(place_id)
    if place is None:
        raise ToolFailure("Place details request failed: NOT_FOUND")
    hours = {"weekday_text": [place.hours]}
    facts = {"formatted_phone_number": place.phone, "rating": place.rating, "opening_hours": hours}
    return {"name": place.name, "formatted_address": place.address, "location": _location_of(place), **facts}


def maps_distance_matrix(
    _world: World,
    origins: Annotated[list[str], Field(description="Where to start: addresses, names or coordinates")],
    destinations: Annotated[list[str], Field(description="Where to end: addresses, names or coordinates")],
    mode: TravelMode = "driving",
) -> Any:
    """Compare distances and times between each of several starts and each of several ends."""
    starts, ends = ([geography.locate(text) for text in texts] for texts in (origins, destinations))
    rows = [{"elements": [_element(start, end, mode) for end in ends]} for start in starts]
    addresses = [[spot.address if spot else "" for spot in spots] for spots in (starts, ends)]
    return {"origin_addresses": addresses[0], "destination_addresses": addresses[1], "results": rows}


def maps_elevation(_world: World, locations: Annotated[list[LatLng], Field(description="Points to look up")]) -> Any:
    """Tell how high points lie above the sea, in metres."""
    points = [_point(each["latitude"], each["longitude"], "Elevation request failed") for each in locations]
    results = [
        {"elevation": geography.elevation(point), "location": _location(point), "resolution": 9.5} for point in points
    ]
    return {"results": results}


def maps_directions(
    _world: World,
    origin: Annotated[str, Field(description="Where to start: address, name or coordinates")],
    destination: Annotated[str, Field(description="Where to end: address, name or coordinates")],
    mode: TravelMode = "driving",
) -> Any:
    """Plan one route, with its length, its duration and its steps."""
    start, end = geography.locate(origin), geography.locate(destination)
    if start is None or end is None:
        raise ToolFailure("Directions request failed: NOT_FOUND")
    route = geography.route(start, end, mode)
    if route is None:
        raise ToolFailure("Directions request failed: ZERO_RESULTS")
    steps = [
        {
            "instructions": f"Go {leg.heading} towards {end.address}",
            "distance": _distance(leg.metres),
            "duration": _duration(leg.seconds),
            "travel_mode": mode.upper(),
        }
        for leg in route.legs
    ]
    length = {"distance": _distance(route.metres), "duration": _duration(route.seconds)}
    return {"routes": [{"summary": f"{start.address} → {end.address}", **length, "steps": steps}]}


def _element(start: Spot | None, end: Spot | None, mode: str) -> dict[str, Any]:
    if start is None or end is None:
        return {"status": "NOT_FOUND"}
    route = geography.route(start, end, mode)
    if route is None:
        return {"status": "ZERO_RESULTS"}
    return {"status": "OK", "duration": _duration(route.seconds), "distance": _distance(route.metres)}


def _distance(metres: int) -> dict[str, Any]:
    return {"text": f"{metres / 1000:.1f} km", "value": metres}


def _duration(seconds: int) -> dict[str, Any]:
    minutes = max(1, round(seconds / 60))
    hours, rest = divmod(minutes, 60)
    parts = [_counted(hours, "hour")] if hours else []
    return {"text": " ".join([*parts, _counted(rest, "min")]), "value": seconds}


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _point(latitude: float, longitude: float, problem: str) -> Point:
    point = Point(latitude, longitude)
    if not geography.is_on_earth(point):
        raise ToolFailure(f"{problem}: INVALID_REQUEST: latitude or longitude is out of range")
    return point


def _location_of(place: Place) -> dict[str, float]:
    return _location(geography.place_point(place))


def _location(point: Point) -> dict[str, float]:
    return {"lat": point.latitude, "lng": point.longitude}


SIMULATION = Simulation(
    name="google-maps",
    state=lambda world: world,
    tools=(
        maps_geocode,
        maps_reverse_geocode,
        maps_search_places,
        maps_place_details,
        maps_distance_matrix,
        maps_elevation,
        maps_directions,
    ),
    dialect=TYPESCRIPT,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
