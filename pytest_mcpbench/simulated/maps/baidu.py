"""The Baidu Maps server: six tools of ``@baidumap/mcp-server-baidu-map`` over the map world, with latitude first."""

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, ToolFailure
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.geography import Point
from pytest_mcpbench.simulated.maps.places import Place

_MODES = {"driving": "driving", "riding": "bicycling", "walking": "walking", "transit": "transit"}
_FORECAST_DAYS = 5


def map_geocode(_world: World, address: Annotated[str, Field(description="待解析的地址或地名")]) -> Any:
    """地理编码：把地址或地名解析为坐标。"""
    spot = geography.locate(address)
    if spot is None:
        raise ToolFailure("API response error: 无相关结果")
    is_place = spot.place is not None
    return {"location": _location(spot.point), "precise": int(is_place), "level": "门址" if is_place else "城市"}


def map_reverse_geocode(
    _world: World,
    latitude: Annotated[float, Field(description="纬度")],
    longitude: Annotated[float, Field(description="经度")],
) -> Any:
    """逆地理编码：查询某个坐标的地址描述。"""
    point = Point(latitude, longitude)
    if not geography.is_on_earth(point):
        raise ToolFailure("API response error: 坐标超出范围 (out of range)")
    spot = geography.spot_at(point)
    pois = [_place_summary(spot.place)] if spot.place else []
    return {"formatted_address": spot.address, "location": _location(point), "pois": pois}


def map_search_places(
    _world: World,
    query: Annotated[str, Field(description="检索关键字，名称或类型")],
    region: Annotated[str | None, Field(description="城市名称；不传则不限城市")] = None,
    location: Annotated[str | None, Field(description="圆形检索的中心点，纬度在前，如 39.90,116.40")] = None,
    radius: Annotated[int | None, Field(description="圆形检索的半径，单位米")] = None,
) -> Any:
    """地点检索：在城市内或某点周边查找地点。"""
    if not location:
        around = None
    else:
        point = geography.coordinates(location)
        if point is None:
            raise ToolFailure("API response error: 参数 location 无效 (invalid coordinates)")
        around = point
    return {"results": [_place_summary(place) for place in geography.find_places(query, region, around, radius)]}


def map_place_details(_world: World, uid: Annotated[str, Field(description="检索结果中的地点编号")]) -> Any:
    """地点详情：评分、电话与营业时间。"""
    place = geography.place(uid)
    if place is None:
        raise ToolFailure("API response error: 地点不存在 (uid not found)")
    detail = {"overall_rating": f"{place.rating}", "shop_hours": place.hours, "telephone": place.phone}
    return {**_place_summary(place), "detail_info": detail}


def map_directions(
    _world: World,
    origin: Annotated[str, Field(description="起点：地名、地址或坐标（纬度在前）")],
    destination: Annotated[str, Field(description="终点：地名、地址或坐标（纬度在前）")],
    model: Annotated[
        str,
        Field(
            description="driving、riding、walking 或 transit；不传为 driving", json_schema_extra={"default": "driving"}
        ),
    ] = "driving",
) -> Any:
    """路线规划：给出两地之间一条路线的里程与用时。"""
    if model not in _MODES:
        raise ToolFailure(f"API response error: 参数 model 无效 (invalid value {model})")
    start, end = geography.locate(origin), geography.locate(destination)
    route = geography.route(start, end, _MODES[model]) if start and end else None
    if route is None:
        raise ToolFailure("API response error: 无相关结果")
    steps = [
        {
            "distance": leg.metres,
            "duration": leg.seconds,
            "instruction": f"向{leg.chinese}行进，前往{route.end.address}",
        }
        for leg in route.legs
    ]
    return {"routes": [{"distance": route.metres, "duration": route.seconds, "steps": steps}]}


def map_weather(
    world: World,
    location: Annotated[str | None, Field(description="坐标，经度在前，如 116.40,39.90")] = None,
    district_id: Annotated[str | None, Field(description="行政区划代码，六位数字")] = None,
) -> Any:
    """天气查询：实时天气与未来五天预报，按坐标或行政区划代码。"""
    if district_id is not None:
        city = geography.find_city(district_id)
    else:
        point = geography.coordinates(location or "", longitude_first=True)
        if point is None:
            raise ToolFailure("API response error: 参数 location 无效 (invalid coordinates)")
        city = geography.spot_at(point).city
    if city is None:
        raise ToolFailure("API response error: 无相关结果")
    today, *_ = forecast = geography.weather(city, world.now.date(), _FORECAST_DAYS)
    city_fields = {"country": city.country, "city": city.names[0], "id": city.adcode}
    return {
        "location": city_fields,
        "now": {"text": today.chinese, "temp": today.high},
        "forecasts": [
            {"date": day.date.isoformat(), "text_day": day.chinese, "low": day.low, "high": day.high}
            for day in forecast
        ],
    }


def _place_summary(place: Place) -> dict[str, Any]:
    city = geography.city_of(place).names[0]
    location_fields = {"location": _location(geography.place_point(place)), "address": place.address, "city": city}
    return {"name": place.name, **location_fields, "telephone": place.phone, "uid": place.id}


def _location(point: Point) -> dict[str, float]:
    return {"lng": point.longitude, "lat": point.latitude}


SIMULATION = Simulation(
    name="baidu-maps",
    state=lambda world: world,
    tools=(map_geocode, map_reverse_geocode, map_search_places, map_place_details, map_directions, map_weather),
    dialect=TYPESCRIPT,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
