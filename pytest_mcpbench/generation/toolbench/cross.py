"""Requests that need servers of several categories: the result of one server is the input of another (paper, 2.3)."""

from pytest_mcpbench.generation.toolbench.pay import draft_invoice, invoice_line
from pytest_mcpbench.generation.toolbench.request import Request, call, request


def requests() -> list[Request]:
    """Return all requests of the category ``cross``."""
    return [*_save_to_file_requests(), *_cross_service_requests(), *_long_requests()]


def _save_to_file_requests() -> list[Request]:
    return [
        request(
            "en",
            "Get today's quote for Microsoft, with its change since yesterday, and keep the answer, as it comes, in "
            "studio/notes/msft.json.",
            call("get_stock_price_global_market", symbol_list=["MSFT"], market="US"),
            call("write_file", path="studio/notes/msft.json", content="<1_result>"),
        ),
        request(
            "zh",
            '用高德查 "北京" 的天气，把查询结果原样存到 studio/notes/weather.txt。',
            call("maps_weather", city="北京"),
            call("write_file", path="studio/notes/weather.txt", content="<1_result>"),
            named_servers="amap-maps",
        ),
        request(
            "fr",
            'Demande à Google Maps le trajet à pied de "Café Marceline" à "Musée du Louvre" et garde la réponse '
            "telle quelle dans studio/notes/trajet.json.",
            call("maps_directions", origin="Café Marceline", destination="Musée du Louvre", mode="walking"),
            call("write_file", path="studio/notes/trajet.json", content="<1_result>"),
            named_servers="google-maps",
        ),
        request(
            "ru",
            'Открой в браузере "https://ferry.bellmar.example/ru", возьми весь видимый текст и сохрани его в '
            "studio/notes/parom.txt.",
            call("playwright_navigate", url="https://ferry.bellmar.example/ru"),
            call("playwright_get_visible_text"),
            call("write_file", path="studio/notes/parom.txt", content="<2_result>"),
        ),
        request(
            "es",
            "Guarda en studio/invoices/pedido.json el pedido de PayPal 8HN30517QW6642095 tal como lo devuelve el "
            "servicio.",
            call("get_order", id="8HN30517QW6642095"),
            call("write_file", path="studio/invoices/pedido.json", content="<1_result>"),
        ),
        request(
            "en",
            "How much is a euro in rupees, and what is in our invoices of February (studio/invoices/2026-02.csv)? "
            "The two have nothing to do with each other, so fetch them together.",
            (
                call("get_exchange_rate", from_currency="EUR", to_currency="INR"),
                call("read_text_file", path="studio/invoices/2026-02.csv"),
            ),
        ),
    ]


def _cross_service_requests() -> list[Request]:
    return [
        request(
            "en",
            'Search with Tavily for "Ravenswick new books this month" and open the first result in Playwright.',
            call("tavily_search", query="Ravenswick new books this month"),
            call("playwright_navigate", url="<1_result.results[0].url>"),
            named_servers="playwright tavily",
        ),
        request(
            "zh",
            '用 Google 搜索 "青檐茶馆"，用 Playwright 打开第一条结果，再截图，名字叫 "qingyan"。',
            call("google_search", query="青檐茶馆"),
            call("playwright_navigate", url="<1_result[0].link>"),
            call("playwright_screenshot", name="qingyan"),
            named_servers="google-search playwright",
        ),
        request(
            "es",
            'Busca con Google Maps "restaurante en Madrid", pide la ficha del primero y busca su nombre, tal como '
            "figura en la ficha, con Tavily.",
            call("maps_search_places", query="restaurante en Madrid"),
            call("maps_place_details", place_id="<1_result.places[0].place_id>"),
            call("tavily_search", query="<2_result.name>"),
            named_servers="google-maps tavily",
        ),
        request(
            "ru",
            "Узнай котировку Amazon на рынке США сейчас, с изменением за день, и выставь от имени "
            '"Fernhill Studio" счёт в долларах на 1 "AMZN" по текущей цене.',
            call("get_stock_price_global_market", symbol_list=["AMZN"], market="US"),
            draft_invoice("Fernhill Studio", invoice_line("AMZN", "1", "<1_result[0].current>")),
        ),
        request(
            "fr",
            "Lis le fichier studio/drafts/query.txt : il contient une recherche. Lance-la avec Tavily, mot pour mot.",
            call("read_text_file", path="studio/drafts/query.txt"),
            call("tavily_search", query="<1_result>"),
            named_servers="tavily",
        ),
        request(
            "en",
            'Weather in "Paris" from Amap, the quote of LVMH in Paris with the volume traded today, and our PayPal '
            "catalogue: three questions for three services, all at once.",
            (
                call("maps_weather", city="Paris"),
                call("get_stock_price_global_market", symbol_list=["MC"], market="EURONEXT"),
                call("list_products"),
            ),
            named_servers="amap-maps",
        ),
        request(
            "zh",
            '先用 Google Maps 查 "上海虹桥站" 的坐标，再用百度地图规划从 "豫园" 到该坐标的驾车路线（坐标先写纬度）。',
            call("maps_geocode", address="上海虹桥站"),
            call("map_directions", origin="豫园", destination="<1_result.location.lat>,<1_result.location.lng>"),
            named_servers="baidu-maps google-maps",
        ),
    ]


def _long_requests() -> list[Request]:
    return [
        request(
            "en",
            'Prepare a folder for my trip: first make studio/trip; then ask Google Maps for the coordinates of "Tokyo '
            'Tower" and Amap for the weather in "Tokyo", both at once; write the coordinates answer to '
            "studio/trip/where.json and the weather answer to studio/trip/weather.json, each as it came; last, list "
            "studio/trip without sizes.",
            call("create_directory", path="studio/trip"),
            (call("maps_geocode", address="Tokyo Tower"), call("maps_weather", city="Tokyo")),
            (
                call("write_file", path="studio/trip/where.json", content="<2_result>"),
                call("write_file", path="studio/trip/weather.json", content="<3_result>"),
            ),
            call("list_directory", path="studio/trip"),
            named_servers="amap-maps google-maps",
        ),
        request(
            "en",
            "Refund the payment of PayPal order 5TR81462KX9930217 in full, after looking it up; then write the "
            "refund's id into studio/invoices/refund.txt, just the id, and show me what stands in the file.",
            call("get_order", id="5TR81462KX9930217"),
            call("create_refund", capture_id="<1_result.captures[0].id>"),
            call("write_file", path="studio/invoices/refund.txt", content="<2_result.id>"),
            call("read_text_file", path="studio/invoices/refund.txt"),
        ),
        request(
            "fr",
            'Cherche "tarifs Hôtel Lavandou" avec Google, ouvre le premier lien avec Playwright, clique sur '
            '"#tarifs", lis le texte de la page, enregistre-le dans studio/notes/tarifs.txt et ferme le navigateur en '
            "dernier.",
            call("google_search", query="tarifs Hôtel Lavandou"),
            call("playwright_navigate", url="<1_result[0].link>"),
            call("playwright_click", selector="#tarifs"),
            call("playwright_get_visible_text"),
            call("write_file", path="studio/notes/tarifs.txt", content="<4_result>"),
            call("playwright_close"),
            named_servers="google-search playwright",
        ),
        request(
            "ru",
            "Собери сводку: котировки Tesla и Apple с изменением за день одним запросом (в этом порядке), курс "
            "доллара к рублю и погода "
            'в городе "Санкт-Петербург" через Amap, всё сразу; затем сохрани три ответа как есть в '
            "studio/notes/akcii.json, studio/notes/kurs.json и studio/notes/pogoda.json.",
            (
                call("get_stock_price_global_market", symbol_list=["TSLA", "AAPL"], market="US"),
                call("get_exchange_rate", from_currency="USD", to_currency="RUB"),
                call("maps_weather", city="Санкт-Петербург"),
            ),
            (
                call("write_file", path="studio/notes/akcii.json", content="<1_result>"),
                call("write_file", path="studio/notes/kurs.json", content="<2_result>"),
                call("write_file", path="studio/notes/pogoda.json", content="<3_result>"),
            ),
            named_servers="amap-maps",
        ),
        request(
            "es",
            "Prepara una ruta por Madrid: crea la carpeta studio/madrid; pide después a Google Maps, a la vez, las "
            'coordenadas de "Museo del Prado", "Estación de Atocha" y "Puerta del Sol"; guarda cada respuesta tal cual '
            "en studio/madrid/prado.json, studio/madrid/atocha.json y studio/madrid/sol.json; al final enseña el "
            "contenido de studio/madrid, sin tamaños.",
            call("create_directory", path="studio/madrid"),
            (
                call("maps_geocode", address="Museo del Prado"),
                call("maps_geocode", address="Estación de Atocha"),
                call("maps_geocode", address="Puerta del Sol"),
            ),
            (
                call("write_file", path="studio/madrid/prado.json", content="<2_result>"),
                call("write_file", path="studio/madrid/atocha.json", content="<3_result>"),
                call("write_file", path="studio/madrid/sol.json", content="<4_result>"),
            ),
            call("list_directory", path="studio/madrid"),
            named_servers="google-maps",
        ),
    ]
