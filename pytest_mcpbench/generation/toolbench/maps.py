"""Requests about places, routes and weather, in five languages and for three map providers."""

from pytest_mcpbench.generation.toolbench.request import ReferenceCall, Request, call, request


def _geocode(address: str) -> ReferenceCall:
    return call("maps_geocode", address=address)


def _directions(origin: str, destination: str, mode: str) -> ReferenceCall:
    return call("maps_directions", origin=origin, destination=destination, mode=mode)


def _geocode_in_china(name: str) -> ReferenceCall:
    return call("maps_geo", address=name)


def requests() -> list[Request]:
    """Return all requests of the category ``map``."""
    return [*_place_requests(), *_route_requests(), *_weather_requests(), *_two_step_requests(), *_long_requests()]


def _place_requests() -> list[Request]:
    return [
        request(
            "en",
            'Coordinates of "Great Russell Street, London WC1B 3DG", please.',
            _geocode("Great Russell Street, London WC1B 3DG"),
        ),
        request(
            "ru",
            'Каковы координаты адреса "Невский проспект, 85, Санкт-Петербург"?',
            _geocode("Невский проспект, 85, Санкт-Петербург"),
        ),
        request(
            "fr",
            'Quelles sont les coordonnées de "99 Rue de Rivoli, 75001 Paris" ?',
            _geocode("99 Rue de Rivoli, 75001 Paris"),
        ),
        request("zh", '"上海市徐汇区武康路393号" 的经纬度是多少？', _geocode("上海市徐汇区武康路393号")),
        request(
            "en",
            "Somebody sent me the position 40.7527, -73.9772 (latitude first). What address is that?",
            call("maps_reverse_geocode", latitude=40.7527, longitude=-73.9772),
        ),
        request(
            "es",
            "¿Qué dirección corresponde a la latitud 40.4067 y la longitud -3.6906?",
            call("maps_reverse_geocode", latitude=40.4067, longitude=-3.6906),
        ),
        request(
            "en",
            'Use Google Maps to look for "museum in London".',
            call("maps_search_places", query="museum in London"),
            named_servers="google-maps",
        ),
        request(
            "zh",
            '用百度地图在 "北京市" 范围内检索 "药店"。',
            call("map_search_places", query="药店", region="北京市"),
            named_servers="baidu-maps",
        ),
        request(
            "en",
            "How high above sea level are 48.8584 N 2.2945 E and 40.4138 N 3.6921 W? One request for both points, "
            "in this order.",
            call(
                "maps_elevation",
                locations=[{"latitude": 48.8584, "longitude": 2.2945}, {"latitude": 40.4138, "longitude": -3.6921}],
            ),
        ),
        request(
            "zh",
            "用高德查一下坐标 121.4998,31.2397（经度在前）属于哪个城市、什么地址。",
            call("maps_regeocode", location="121.4998,31.2397"),
            named_servers="amap-maps",
        ),
        request(
            "zh",
            '用高德在坐标 116.3972,39.9163 周围 "5000" 米内找 "茶馆"。',
            call("maps_around_search", keywords="茶馆", location="116.3972,39.9163", radius="5000"),
            named_servers="amap-maps",
        ),
        request(
            "zh",
            "百度地图：纬度 39.8652、经度 116.3789 是什么地方？",
            call("map_reverse_geocode", latitude=39.8652, longitude=116.3789),
            named_servers="baidu-maps",
        ),
        request("zh", '百度地图上 "豫园" 的坐标？', call("map_geocode", address="豫园"), named_servers="baidu-maps"),
    ]


def _route_requests() -> list[Request]:
    return [
        request(
            "en",
            'With Google Maps: how do I walk from "King\'s Cross Station" to "British Museum"?',
            _directions("King's Cross Station", "British Museum", "walking"),
            named_servers="google-maps",
        ),
        request(
            "fr",
            'Avec Google Maps, quel trajet en transports en commun de "Gare de Lyon" à "Tour Eiffel" ?',
            _directions("Gare de Lyon", "Tour Eiffel", "transit"),
            named_servers="google-maps",
        ),
        request(
            "es",
            '¿Cuál es la ruta en bicicleta de "Shinjuku Station" a "Torre de Tokio" según Google Maps?',
            _directions("Shinjuku Station", "Torre de Tokio", "bicycling"),
            named_servers="google-maps",
        ),
        request(
            "ru",
            'Проложи в Google Maps маршрут на машине от "Московский вокзал" до "Исаакиевский собор".',
            _directions("Московский вокзал", "Исаакиевский собор", "driving"),
            named_servers="google-maps",
        ),
        request(
            "zh",
            '用百度地图规划从 "北京南站" 骑行到 "天坛" 的路线。',
            call("map_directions", origin="北京南站", destination="天坛", model="riding"),
            named_servers="baidu-maps",
        ),
        request(
            "en",
            'Which of "Hotel Belmore" and "Times Square" is the shorter walk from "Grand Central Terminal"? Compare '
            "both in one go with a Google distance table, in this order.",
            call(
                "maps_distance_matrix",
                origins=["Grand Central Terminal"],
                destinations=["Hotel Belmore", "Times Square"],
                mode="walking",
            ),
        ),
        request(
            "zh",
            "用高德测量 116.3972,39.9163 到 116.4066,39.8822 的直线距离。",
            call("maps_distance", origins="116.3972,39.9163", destination="116.4066,39.8822", type="0"),
            named_servers="amap-maps",
        ),
    ]


def _weather_requests() -> list[Request]:
    return [
        request(
            "zh", '高德天气："上海" 接下来几天怎么样？', call("maps_weather", city="上海"), named_servers="amap-maps"
        ),
        request(
            "ru",
            'Какая погода ожидается в городе "Санкт-Петербург"? Спроси у Amap.',
            call("maps_weather", city="Санкт-Петербург"),
            named_servers="amap-maps",
        ),
        request(
            "es",
            "Pregunta a Baidu Maps qué tiempo hará en la zona con el código 110000.",
            call("map_weather", district_id="110000"),
            named_servers="baidu-maps",
        ),
        request(
            "en",
            'Compare the forecasts for "Tokyo" and "New York", both from Amap, at the same time.',
            (call("maps_weather", city="Tokyo"), call("maps_weather", city="New York")),
            named_servers="amap-maps",
        ),
    ]


def _two_step_requests() -> list[Request]:
    return [
        request(
            "en",
            'Find "bookshop in London" with Google Maps and give me the details of the first hit: phone and hours.',
            call("maps_search_places", query="bookshop in London"),
            call("maps_place_details", place_id="<1_result.places[0].place_id>"),
            named_servers="google-maps",
        ),
        request(
            "ru",
            'Найди через Google Maps "аптека Санкт-Петербург" и скажи телефон и часы работы первой из найденных.',
            call("maps_search_places", query="аптека Санкт-Петербург"),
            call("maps_place_details", place_id="<1_result.places[0].place_id>"),
            named_servers="google-maps",
        ),
        request(
            "zh",
            '用百度地图在 "上海市" 检索 "书店"，再查第一家的详细信息。',
            call("map_search_places", query="书店", region="上海市"),
            call("map_place_details", uid="<1_result.results[0].uid>"),
            named_servers="baidu-maps",
        ),
        request(
            "fr",
            'Trouve avec Google Maps les coordonnées de "Musée du Louvre", puis l\'altitude de ce point.',
            _geocode("Musée du Louvre"),
            call(
                "maps_elevation",
                locations=[{"latitude": "<1_result.location.lat>", "longitude": "<1_result.location.lng>"}],
            ),
            named_servers="google-maps",
        ),
        request(
            "es",
            'Con Google Maps: averigua las coordenadas de "Puerta del Sol" y busca después "farmacia" en un radio '
            "de 1500 metros alrededor.",
            _geocode("Puerta del Sol"),
            call(
                "maps_search_places",
                query="farmacia",
                radius=1500,
                location={"latitude": "<1_result.location.lat>", "longitude": "<1_result.location.lng>"},
            ),
            named_servers="google-maps",
        ),
        request(
            "zh",
            '用高德：先分别查 "故宫" 和 "北京南站" 的坐标，再规划从故宫驾车到北京南站的路线。',
            (_geocode_in_china("故宫"), _geocode_in_china("北京南站")),
            call(
                "maps_direction_driving",
                origin="<1_result.return[0].location>",
                destination="<2_result.return[0].location>",
            ),
            named_servers="amap-maps",
        ),
        request(
            "en",
            'Amap only: look up "Yu Garden" and "Oriental Pearl Tower", then tell me the way on foot from the '
            "first to the second.",
            (_geocode_in_china("Yu Garden"), _geocode_in_china("Oriental Pearl Tower")),
            call(
                "maps_direction_walking",
                origin="<1_result.return[0].location>",
                destination="<2_result.return[0].location>",
            ),
            named_servers="amap-maps",
        ),
    ]


def _long_requests() -> list[Request]:
    return [
        request(
            "zh",
            '用高德查 "天坛" 的坐标，然后在它周围 "8000" 米内找 "药店"，最后给出第一家的详细信息。',
            _geocode_in_china("天坛"),
            call("maps_around_search", keywords="药店", location="<1_result.return[0].location>", radius="8000"),
            call("maps_search_detail", id="<2_result.pois[0].id>"),
            named_servers="amap-maps",
        ),
        request(
            "en",
            'A cycling day with Amap: get the positions of "Ueno Park", "Tokyo Tower" and "Shinjuku Station", then '
            "the cycling route from the park to the tower and from the tower to the station.",
            (_geocode_in_china("Ueno Park"), _geocode_in_china("Tokyo Tower"), _geocode_in_china("Shinjuku Station")),
            (
                call(
                    "maps_direction_bicycling",
                    origin="<1_result.return[0].location>",
                    destination="<2_result.return[0].location>",
                ),
                call(
                    "maps_direction_bicycling",
                    origin="<2_result.return[0].location>",
                    destination="<3_result.return[0].location>",
                ),
            ),
            named_servers="amap-maps",
        ),
        request(
            "fr",
            'Je loge à "Hôtel Lavandou". Avec Google Maps : ses coordonnées, puis "café" dans un rayon de 5000 '
            "mètres autour, puis la fiche du premier café trouvé, et enfin l'itinéraire à pied de l'hôtel (par son "
            "nom) jusqu'à l'adresse qui figure sur cette fiche.",
            _geocode("Hôtel Lavandou"),
            call(
                "maps_search_places",
                query="café",
                radius=5000,
                location={"latitude": "<1_result.location.lat>", "longitude": "<1_result.location.lng>"},
            ),
            call("maps_place_details", place_id="<2_result.places[0].place_id>"),
            _directions("Hôtel Lavandou", "<3_result.formatted_address>", "walking"),
            named_servers="google-maps",
        ),
    ]
