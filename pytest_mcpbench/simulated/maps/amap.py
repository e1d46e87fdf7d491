"""The Amap (高德) server: nine tools of ``@amap/amap-maps-mcp-server`` over the map world, with longitude first."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, ToolFailure, whole_number
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.geography import Point
from pytest_mcpbench.simulated.maps.places import Place

Origin = Annotated[str, Field(description="出发点坐标，格式为 经度,纬度")]
Destination = Annotated[str, Field(description="目的地坐标，格式为 经度,纬度")]
_FORECAST_DAYS = 4
_AROUND_METRES = 5000
_DISTANCE_MODES = {"1": "driving", "3": "walking"}


def maps_geo(
    _world: World,
    address: Annotated[str, Field(description="结构化地址或地标名称")],
    city: Annotated[str | None, Field(description="在哪个城市内查找")] = None,
) -> Any:
    """把地址或地标名称转换为经纬度坐标。"""
    spot = geography.locate(address, city)
    if spot is None:
        raise ToolFailure("Geocoding failed: ENGINE_RESPONSE_DATA_ERROR")
    matched_city = spot.city
    city_fields = (
        {"country": matched_city.country, "city": matched_city.names[0], "adcode": matched_city.adcode}
        if matched_city
        else {}
    )
    return {"return": [{**city_fields, "address": spot.address, "location": _format_point(spot.point)}]}


def maps_regeocode(_world: World, location: Annotated[str, Field(description="坐标，格式为 经度,纬度")]) -> Any:
    """查询一个坐标所在的行政区划与地址。"""
    spot = geography.spot_at(_point(location))
    if spot.city is None:
        raise ToolFailure("RGeocoding failed: ENGINE_RESPONSE_DATA_ERROR")
    return {"country": spot.city.country, "city": spot.city.names[0], "address": spot.address}


def maps_direction_driving(_world: World, origin: Origin, destination: Destination) -> Any:
    """规划驾车路线。"""
    return _route(origin, destination, "driving")


def maps_direction_walking(_world: World, origin: Origin, destination: Destination) -> Any:
    """规划一百公里以内的步行路线。"""
    return _route(origin, destination, "walking")


def maps_direction_bicycling(_world: World, origin: Origin, destination: Destination) -> Any:
    """规划五百公里以内的骑行路线。"""
    return _route(origin, destination, "bicycling")


def maps_distance(
    _world: World,
    origins: Annotated[str, Field(description="起点坐标，多个用竖线隔开，如 120,30|120,31")],
    destination: Destination,
    type: Annotated[  # noqa: A002 (the real server's word)
        Literal["0", "1", "3"],
        Field(description="0 直线距离，1 驾车，3 步行；默认 1", json_schema_extra={"default": "1"}),
    ] = "1",
) -> Any:
    """测量一个或多个起点到同一终点的距离。"""
    end = geography.spot_at(_point(destination))
    starts = [geography.spot_at(_point(text)) for text in origins.split("|")]
    distance_results: list[dict[str, str]] = []
    for number, start in enumerate(starts, start=1):
        if type == "0":
            straight_metres = round(geography.metres_between(start.point, end.point))
            distance_results.append(
                {"origin_id": f"{number}", "dest_id": "1", "distance": f"{straight_metres}", "duration": "0"}
            )
        else:
            route = geography.route(start, end, _DISTANCE_MODES[type])
            if route is None:
                raise ToolFailure("Direction Distance failed: OVER_DIRECTION_RANGE")
            distance_results.append(
                {
                    "origin_id": f"{number}",
                    "dest_id": "1",
                    "distance": f"{route.metres}",
                    "duration": f"{route.seconds}",
                }
            )
    return {"results": distance_results}


def maps_around_search(
    _world: World,
    keywords: Annotated[str, Field(description="搜索关键词")],
    location: Annotated[str, Field(description="中心点坐标，格式为 经度,纬度")],
    radius: Annotated[str | None, Field(description="搜索半径，单位米；默认 5000")] = None,
) -> Any:
    """在一个坐标周边搜索地点，由近及远。"""
    metres = _AROUND_METRES if radius is None else whole_number(radius)
    if metres is None:
        raise ToolFailure("INVALID_PARAMS: radius 应为数字")
    return {
        "pois": [
            _place_summary(place) for place in geography.find_places(keywords, around=_point(location), radius=metres)
        ]
    }


def maps_search_detail(_world: World, id: Annotated[str, Field(description="搜索结果中的地点编号")]) -> Any:  # noqa: A002
    """查询一个地点的电话、评分与营业时间。"""
    place = geography.place(id)
    if place is None:
        raise ToolFailure("Search detail failed: INVALID_PARAMS: 地点不存在")
    extra = {"tel": place.phone, "rating": f"{place.rating}", "opentime2": place.hours}
    return {**_place_summary(place), "location": _format_point(geography.place_point(place)), **extra}


def maps_weather(world: World, city: Annotated[str, Field(description="城市名称或行政区划代码")]) -> Any:
    """按城市查询未来四天的天气。"""
    matched_city = geography.find_city(city)
    if matched_city is None:
        raise ToolFailure("Get weather failed: INVALID_PARAMS: 城市不存在")
    forecast = geography.weather(matched_city, world.now.date(), _FORECAST_DAYS)
    days: list[dict[str, str]] = []
    for day in forecast:
        facts = {"dayweather": day.chinese, "daytemp": f"{day.high}", "nighttemp": f"{day.low}"}
        days.append({"date": day.date.isoformat(), "week": f"{day.date.isoweekday()}", **facts})
    return {"city": matched_city.names[0], "forecasts": days}


def _route(origin: str, destination: str, mode: str) -> dict[str, Any]:
    start, end = geography.spot_at(_point(origin)), geography.spot_at(_point(destination))
    route = geography.route(start, end, mode)
    if route is None:
        raise ToolFailure("Direction failed: OVER_DIRECTION_RANGE")
    steps = [
        {"instruction": f"向{leg.chinese}行进，前往{end.address}", "distance": f"{leg.metres}"} for leg in route.legs
    ]
    path = {"distance": f"{route.metres}", "duration": f"{route.seconds}", "steps": steps}
    return {"route": {"origin": origin, "destination": destination, "paths": [path]}}


def _point(text: str) -> Point:
    point = geography.coordinates(text, longitude_first=True)
    if point is None:
        raise ToolFailure("INVALID_PARAMS: 坐标格式应为 经度,纬度 (out of range or malformed)")
    return point


def _place_summary(place: Place) -> dict[str, Any]:
    return {"id": place.id, "name": place.name, "address": place.address, "typecode": place.kind}


def _format_point(point: Point) -> str:
    return f"{point.longitude},{point.latitude}"


SIMULATION = Simulation(
    name="amap-maps",
    state=lambda world: world,
    tools=(
        maps_geo,
        maps_regeocode,
        maps_direction_driving,
        maps_direction_walking,
        maps_direction_bicycling,
        maps_distance,
        maps_around_search,
        maps_search_detail,
        maps_weather,
    ),
    dialect=TYPESCRIPT,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
