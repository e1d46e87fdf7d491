"""The map servers: one world, three providers with their own coordinates and words."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.amap import SIMULATION as AMAP
from pytest_mcpbench.simulated.maps.baidu import SIMULATION as BAIDU
from pytest_mcpbench.simulated.maps.geography import Point
from pytest_mcpbench.simulated.maps.google import SIMULATION as GOOGLE
from pytest_mcpbench.simulated.maps.places import CITIES, PLACES

WORLD = World("maps", Path("/nonexistent"), DEFAULT_NOW, Ids("maps"))


def _call(simulation: Simulation, tool: str, **arguments: Any) -> Any:
    return simulation.call(WORLD, tool, arguments)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("Tour Eiffel", "P01", id="local name"),
        pytest.param("the Eiffel Tower in Paris", "P01", id="name within a sentence"),
        pytest.param("Эйфелева башня", "P01", id="Russian name"),
        pytest.param("埃菲尔铁塔", "P01", id="Chinese name"),
        pytest.param("Невский проспект, 85, Санкт-Петербург", "P18", id="address in another order"),
        pytest.param("北京市东城区景山前街4号", "P22", id="Chinese address"),
        pytest.param("Torre de Tokio", "P31", id="longest name wins over the city's"),
        pytest.param("51.5194, -0.1270", "P08", id="coordinates"),
    ],
)
def test_a_place_is_found_by(text: str, place: str) -> None:
    spot = geography.locate(text)
    assert spot is not None
    assert spot.place is not None
    assert spot.place.id == place


def test_every_place_is_found_by_each_of_its_names_and_by_its_address() -> None:
    missed = [
        (place.id, text)
        for place in PLACES
        for text in (*place.names, place.address)
        if (spot := geography.locate(text)) is None or spot.place != place
    ]
    assert missed == []


def test_what_is_nowhere_is_not_found() -> None:
    assert [geography.locate(text) for text in ("Atlantis", "12 Rue", "91.0, 10.0")] == [None, None, None]


def test_a_city_without_a_place_is_its_middle() -> None:
    spot = geography.locate("Лондон")
    assert spot is not None
    assert (spot.point, spot.address) == (Point(51.5074, -0.1278), "London, United Kingdom")


def test_the_distance_between_two_places_is_that_of_the_globe() -> None:
    louvre, tower = Point(48.8606, 2.3376), Point(48.8584, 2.2945)
    assert geography.metres_between(louvre, tower) == pytest.approx(3160, rel=0.01)


def test_all_providers_know_the_same_point() -> None:
    google = _call(GOOGLE, "maps_geocode", address="故宫")["location"]
    baidu = _call(BAIDU, "map_geocode", address="故宫")["location"]
    amap = _call(AMAP, "maps_geo", address="故宫", city="北京")["return"][0]["location"]
    assert (google["lat"], google["lng"]) == (baidu["lat"], baidu["lng"])
    assert amap == f"{google['lng']},{google['lat']}"


def test_the_nearest_places_come_first_and_far_ones_are_left_out() -> None:
    near = _call(AMAP, "maps_around_search", keywords="博物馆", location="116.4074,39.9042", radius="20000")
    assert [poi["name"] for poi in near["pois"]] == ["故宫博物院"]
    assert _call(AMAP, "maps_around_search", keywords="博物馆", location="116.4074,39.9042") == near
    everything = _call(GOOGLE, "maps_search_places", query="museum", location={"latitude": 51.5, "longitude": -0.12})
    assert [place["name"] for place in everything["places"]][:2] == ["British Museum", "Musée du Louvre"]


def test_a_search_names_its_city_or_gets_it() -> None:
    named = _call(GOOGLE, "maps_search_places", query="pharmacy in Madrid")["places"]
    given = _call(BAIDU, "map_search_places", query="书店", region="上海市")["results"]
    assert [each["name"] for each in (*named, *given)] == ["Farmacia Lozoya", "梧桐里书店"]


def test_routes_are_longer_than_the_straight_line_and_slower_on_foot() -> None:
    ends = {"origins": ["Puerta del Sol"], "destinations": ["Museo del Prado"]}
    car, foot = (
        _call(GOOGLE, "maps_distance_matrix", **ends, mode=mode)["results"][0]["elements"][0]
        for mode in ("driving", "walking")
    )
    straight = geography.metres_between(Point(40.4169, -3.7035), Point(40.4138, -3.6921))
    assert car["distance"]["value"] > foot["distance"]["value"] > straight
    assert foot["duration"]["value"] > car["duration"]["value"]


def test_one_hour_and_one_minute_are_in_the_singular() -> None:
    here, there = "40.4,-3.7", ("40.4,-3.7", "40.42,-3.7", "40.437,-3.7", "40.44,-3.7")
    (row,) = _call(GOOGLE, "maps_distance_matrix", origins=[here], destinations=[*there], mode="walking")["results"]
    told = [element["duration"]["text"] for element in row["elements"]]
    assert told == ["1 min", "33 mins", "1 hour 1 min", "1 hour 6 mins"]


def test_the_steps_of_a_route_lead_to_its_end_and_add_up_to_it() -> None:
    ends = {"origin": "Puerta del Sol", "destination": "Museo del Prado"}
    route = _call(GOOGLE, "maps_directions", **ends, mode="walking")["routes"][0]
    headings = [step["instructions"].split(" towards ")[0] for step in route["steps"]]
    assert headings == ["Go south", "Go east"]
    assert sum(step["distance"]["value"] for step in route["steps"]) == route["distance"]["value"]
    nowhere = _call(BAIDU, "map_directions", origin="天坛", destination="天坛")["routes"][0]
    assert nowhere == {"distance": 0, "duration": 0, "steps": []}


def test_a_matrix_marks_what_cannot_be_reached() -> None:
    rows = _call(GOOGLE, "maps_distance_matrix", origins=["Tokyo Tower"], destinations=["Times Square", "Atlantis"])
    assert [each["status"] for each in rows["results"][0]["elements"]] == ["ZERO_RESULTS", "NOT_FOUND"]


def test_the_weather_is_the_same_for_all_providers_and_attempts() -> None:
    baidu = _call(BAIDU, "map_weather", district_id="310000")["forecasts"]
    amap = _call(AMAP, "maps_weather", city="Shanghai")["forecasts"]
    facts = [(day["date"], day["text_day"], f"{day['high']}", f"{day['low']}") for day in baidu]
    assert [(day["date"], day["dayweather"], day["daytemp"], day["nighttemp"]) for day in amap] == facts[:4]
    assert facts[0][0] == "2026-03-02"


@pytest.mark.parametrize(
    ("simulation", "tool", "arguments", "message"),
    [
        (GOOGLE, "maps_geocode", {"address": "Atlantis"}, "Geocoding failed: ZERO_RESULTS"),
        (GOOGLE, "maps_place_details", {"place_id": "X"}, "Place details request failed: NOT_FOUND"),
        (GOOGLE, "maps_reverse_geocode", {"latitude": 91, "longitude": 0}, "out of range"),
        (GOOGLE, "maps_reverse_geocode", {"latitude": 0, "longitude": 0}, "ZERO_RESULTS"),
        (GOOGLE, "maps_directions", {"origin": "Shinjuku", "destination": "Louvre"}, "ZERO_RESULTS"),
        (
            GOOGLE,
            "maps_directions",
            {"origin": "Louvre", "destination": "Prado", "mode": "flying"},
            "invalid_enum_value",
        ),
        (BAIDU, "map_directions", {"origin": "故宫", "destination": "天坛", "model": "fly"}, "参数 model 无效"),
        (BAIDU, "map_weather", {}, "参数 location 无效"),
        (AMAP, "maps_regeocode", {"location": "here"}, "INVALID_PARAMS"),
        (AMAP, "maps_direction_walking", {"origin": "116.4,39.9", "destination": "121.5,31.2"}, "OVER_DIRECTION_RANGE"),
        (AMAP, "maps_weather", {"city": "Atlantis"}, "城市不存在"),
        (AMAP, "maps_around_search", {"keywords": "茶馆", "location": "116.4,39.9", "radius": "far"}, "radius"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_a_provider_refuses(simulation: Simulation, tool: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        _call(simulation, tool, **arguments)
    assert message in str(refused.value)


def test_the_world_names_each_thing_once() -> None:
    assert len({place.id for place in PLACES}) == len(PLACES)
    assert len({name.casefold() for city in CITIES for name in city.names}) == sum(len(city.names) for city in CITIES)
