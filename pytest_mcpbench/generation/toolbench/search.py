"""Requests to search engines and page readers. Search terms are quoted, so that exactly one query is correct."""

from pytest_mcpbench.generation.toolbench.request import ReferenceCall, Request, call, request


def _search(query: str, **options: int) -> ReferenceCall:
    return call("tavily_search", query=query, **options)


def requests() -> list[Request]:
    """Return all requests of the category ``search``."""
    return [*_search_requests(), *_page_requests(), *_multi_call_requests()]


def _search_requests() -> list[Request]:
    return [
        request("en", 'Look on the web for "Bellmar ferry timetable".', _search("Bellmar ferry timetable")),
        request("zh", '上网搜一下 "青檐茶馆 茶单"。', _search("青檐茶馆 茶单")),
        request(
            "ru", 'Найди в интернете "продление книг библиотека Снегири".', _search("продление книг библиотека Снегири")
        ),
        request("fr", 'Cherche "tarifs Hôtel Lavandou" en ligne.', _search("tarifs Hôtel Lavandou")),
        request("es", 'Busca en la red "reservas Museo Almena".', _search("reservas Museo Almena")),
        request(
            "en",
            'Ask Google, and only Google, for "novels about lighthouses"; two hits are enough.',
            call("google_search", query="novels about lighthouses", num=2),
            named_servers="google-search",
        ),
        request(
            "en",
            'Have Tavily find "Idris Fell travels" with no more than 3 results.',
            _search("Idris Fell travels", max_results=3),
            named_servers="tavily",
        ),
    ]


def _page_requests() -> list[Request]:
    return [
        request(
            "en",
            'What does the page "https://ferry.bellmar.example/fares" say a child pays?',
            call("read_webpage", url="https://ferry.bellmar.example/fares"),
        ),
        request(
            "ru",
            'Прочитай страницу "https://ferry.bellmar.example/ru": когда паром не ходит?',
            call("read_webpage", url="https://ferry.bellmar.example/ru"),
        ),
        request(
            "en",
            'Which pages does the site "https://books.ravenswick.example" consist of?',
            call("tavily_map", url="https://books.ravenswick.example"),
        ),
        request(
            "fr",
            "Extrais avec Tavily, en un seul appel et dans cet ordre, les textes de "
            '"https://hotel.lavandou.example/tarifs" et de "https://ferry.bellmar.example/fr".',
            call("tavily_extract", urls=["https://hotel.lavandou.example/tarifs", "https://ferry.bellmar.example/fr"]),
            named_servers="tavily",
        ),
        request(
            "zh",
            '"https://tea.qingyan.example" 这个网站有哪些网页？最多列出 2 个。',
            call("tavily_map", url="https://tea.qingyan.example", limit=2),
        ),
    ]


def _multi_call_requests() -> list[Request]:
    return [
        request(
            "en",
            'Search the web for "Nine Winters Petra Lund" and read me the page that comes first.',
            _search("Nine Winters Petra Lund"),
            call("read_webpage", url="<1_result.results[0].url>"),
        ),
        request(
            "es",
            'Busca "transbordador de Bellmar salidas" y lee la página del primer resultado.',
            _search("transbordador de Bellmar salidas"),
            call("read_webpage", url="<1_result.results[0].url>"),
        ),
        request(
            "en",
            'Run two Google searches side by side, "An Atlas of Bread" and "Harbour Lights Maren Oake".',
            (
                call("google_search", query="An Atlas of Bread"),
                call("google_search", query="Harbour Lights Maren Oake"),
            ),
            named_servers="google-search",
        ),
        request(
            "zh",
            '只用 Google 的工具：先搜索 "贝尔马渡轮 开船时间"，再打开第一条链接，读出全文。',
            call("google_search", query="贝尔马渡轮 开船时间"),
            call("read_webpage", url="<1_result[0].link>"),
            named_servers="google-search",
        ),
        request(
            "ru",
            'Сначала через Tavily получи карту сайта "https://hotel.lavandou.example", затем прочитай страницу, '
            "которая стоит в ней последней, тоже через Tavily.",
            call("tavily_map", url="https://hotel.lavandou.example"),
            call("tavily_extract", urls=["<1_result.results[-1]>"]),
            named_servers="tavily",
        ),
    ]
