"""Requests to a browser: pages, forms, screenshots and a JSON API."""

from pytest_mcpbench.generation.toolbench.request import ReferenceCall, Request, call, request

_BOOKS = "https://books.ravenswick.example"
_FERRY = "https://ferry.bellmar.example"
_PORTAL = "https://portal.fernhill.example"
_API = "https://api.fernhill.example"
_HOTEL = "https://hotel.lavandou.example"
_TEA = "https://tea.qingyan.example"


def _open(url: str) -> ReferenceCall:
    return call("playwright_navigate", url=url)


def _fill(selector: str, value: str) -> ReferenceCall:
    return call("playwright_fill", selector=selector, value=value)


def _select(selector: str, value: str) -> ReferenceCall:
    return call("playwright_select", selector=selector, value=value)


def _click(selector: str) -> ReferenceCall:
    return call("playwright_click", selector=selector)


_READ = call("playwright_get_visible_text")


def requests() -> list[Request]:
    """Return all requests of the category ``browser``."""
    return [*_single_call_requests(), *_reading_requests(), *_form_requests(), *_puppeteer_requests()]


def _single_call_requests() -> list[Request]:
    return [
        request("en", f'Bring up "{_BOOKS}/new" for me, nothing more.', _open(f"{_BOOKS}/new")),
        request(
            "en",
            f'Is image storage still degraded? Ask our API: GET "{_API}/status.json".',
            call("playwright_get", url=f"{_API}/status.json"),
        ),
        request("fr", f'Va sur "{_FERRY}/fr" et laisse la page ouverte, je regarde moi-même.', _open(f"{_FERRY}/fr")),
        request(
            "ru",
            f'Запроси по GET "{_API}/team.json" и скажи, кто у нас в команде.',
            call("playwright_get", url=f"{_API}/team.json"),
        ),
        request(
            "en",
            f'I need status, projects and team from our API in one sweep: GET "{_API}/status.json", '
            f'"{_API}/projects.json" and "{_API}/team.json".',
            tuple(call("playwright_get", url=f"{_API}/{name}.json") for name in ("status", "projects", "team")),
        ),
    ]


def _reading_requests() -> list[Request]:
    return [
        request("zh", f'请打开 "{_FERRY}/zh"，然后把页面上的文字念给我听。', _open(f"{_FERRY}/zh"), _READ),
        request(
            "es",
            f'Abre "{_FERRY}/es", léeme el texto de la página y cierra después el navegador.',
            _open(f"{_FERRY}/es"),
            _READ,
            call("playwright_close"),
        ),
        request(
            "ru",
            f'Открой "{_FERRY}/ru" и сделай снимок страницы под именем "parom".',
            _open(f"{_FERRY}/ru"),
            call("playwright_screenshot", name="parom"),
        ),
        request(
            "en",
            f'On "{_FERRY}/" there is a table with the id times. Photograph just that table ("#times") as "timetable".',
            _open(f"{_FERRY}/"),
            call("playwright_screenshot", name="timetable", selector="#times"),
        ),
        request(
            "en",
            f'Start at "{_FERRY}/", follow the link "#fares" and tell me what a car costs; read it off the page.',
            _open(f"{_FERRY}/"),
            _click("#fares"),
            _READ,
        ),
        request(
            "fr",
            f'Sur "{_HOTEL}/reservation", clique sur le lien "#tarifs" et lis-moi les prix affichés.',
            _open(f"{_HOTEL}/reservation"),
            _click("#tarifs"),
            _READ,
        ),
        request(
            "zh",
            f'进入 "{_TEA}/order"，点击 "#menu"，再截一张图，取名 "chadan"。',
            _open(f"{_TEA}/order"),
            _click("#menu"),
            call("playwright_screenshot", name="chadan"),
        ),
        request(
            "en",
            f'Go to "{_BOOKS}/new", have a look at "#salt-road" by clicking it, come back to the list with the '
            'browser\'s own history, and take a picture of it called "novelties".',
            _open(f"{_BOOKS}/new"),
            _click("#salt-road"),
            call("playwright_go_back"),
            call("playwright_screenshot", name="novelties"),
        ),
        request(
            "en",
            f'Which books does the shop have about "lighthouse"? At "{_BOOKS}/" type that word into "#q" and hit '
            "the Enter key there, then read me the list.",
            _open(f"{_BOOKS}/"),
            _fill("#q", "lighthouse"),
            call("playwright_press_key", key="Enter", selector="#q"),
            _READ,
        ),
        request(
            "en",
            f'From "{_BOOKS}/": put "Petra" into "#q", click "#go", click "#nine-winters" among the results and '
            "read out the page so that I learn the ISBN.",
            _open(f"{_BOOKS}/"),
            _fill("#q", "Petra"),
            _click("#go"),
            _click("#nine-winters"),
            _READ,
        ),
        request(
            "es",
            f'Entra en "{_BOOKS}/book/bread-atlas" y dime, leyendo la página, cuántas páginas tiene el libro.',
            _open(f"{_BOOKS}/book/bread-atlas"),
            _READ,
        ),
    ]


def _form_requests() -> list[Request]:
    return [
        request(
            "en",
            f'Sign me in at "{_PORTAL}/login": "#user" is "nora", "#password" is "lantern-42", the button is '
            '"#sign-in". Then tell me what the page says.',
            _open(f"{_PORTAL}/login"),
            (_fill("#user", "nora"), _fill("#password", "lantern-42")),
            _click("#sign-in"),
            _READ,
        ),
        request(
            "en",
            f'I want proof of my hours. Log in on "{_PORTAL}/login" ("nora" in "#user", "lantern-42" in '
            '"#password", then "#sign-in"), go on to "#hours" and save a screenshot named "february".',
            _open(f"{_PORTAL}/login"),
            (_fill("#user", "nora"), _fill("#password", "lantern-42")),
            _click("#sign-in"),
            _click("#hours"),
            call("playwright_screenshot", name="february"),
        ),
        request(
            "en",
            f'Two copies of Harbour Lights into the cart, please: page "{_BOOKS}/book/harbour-lights", option "2" '
            'in "#copies", button "#add". Read me the cart.',
            _open(f"{_BOOKS}/book/harbour-lights"),
            _select("#copies", "2"),
            _click("#add"),
            _READ,
        ),
        request(
            "en",
            f'Send the bookshop a message with the form at "{_BOOKS}/contact": name "#name" "Nora Lindqvist", '
            'address "#email" "nora@fernhill.example", topic "#topic" the option "event", text "#text" "Is there a '
            'reading on Thursday?". Press "#send" and read me the answer.',
            _open(f"{_BOOKS}/contact"),
            (
                _fill("#name", "Nora Lindqvist"),
                _fill("#email", "nora@fernhill.example"),
                _select("#topic", "event"),
                _fill("#text", "Is there a reading on Thursday?"),
            ),
            _click("#send"),
            _READ,
        ),
        request(
            "ru",
            'Продли мои книги: на "https://biblio.snegiri.example/prodlenie" впиши в "#bilet" номер "77-1204", '
            'в "#srok" выбери "14", нажми "#otpravit" и прочитай, что ответят.',
            _open("https://biblio.snegiri.example/prodlenie"),
            (_fill("#bilet", "77-1204"), _select("#srok", "14")),
            _click("#otpravit"),
            _READ,
        ),
        request(
            "es",
            'Resérvame el museo en "https://museo.almena.example/reservas": "#nombre" es "Inés Carvajal", '
            '"#fecha" es "2026-03-21", en "#turno" elige "tarde". Pulsa "#reservar" y dime el localizador que aparece.',
            _open("https://museo.almena.example/reservas"),
            (_fill("#nombre", "Inés Carvajal"), _fill("#fecha", "2026-03-21"), _select("#turno", "tarde")),
            _click("#reservar"),
            _READ,
        ),
        request(
            "zh",
            f'帮我订座：打开 "{_TEA}/order"，"#guest" 填 "李维"，"#people" 填 "4"，"#room" 选 "garden"，点击 '
            '"#submit"，最后截图，名字用 "dingzuo"。',
            _open(f"{_TEA}/order"),
            (_fill("#guest", "李维"), _fill("#people", "4"), _select("#room", "garden")),
            _click("#submit"),
            call("playwright_screenshot", name="dingzuo"),
        ),
        request(
            "en",
            f'Order for me at the bookshop, step by step: open "{_BOOKS}/", enter "road" in "#q", click "#go", '
            'click "#salt-road", pick "3" in "#copies", click "#add", enter "bea@fernhill.example" in "#email", click '
            '"#order", read me the confirmation, and shut the browser in the end.',
            _open(f"{_BOOKS}/"),
            _fill("#q", "road"),
            _click("#go"),
            _click("#salt-road"),
            _select("#copies", "3"),
            _click("#add"),
            _fill("#email", "bea@fernhill.example"),
            _click("#order"),
            _READ,
            call("playwright_close"),
        ),
    ]


def _puppeteer_requests() -> list[Request]:
    return [
        request(
            "en",
            f'With Puppeteer, not Playwright: open "{_FERRY}/fares" and take a picture "fares".',
            call("puppeteer_navigate", url=f"{_FERRY}/fares"),
            call("puppeteer_screenshot", name="fares"),
            named_servers="playwright puppeteer",
        ),
        request(
            "fr",
            f'Avec Puppeteer : sur "{_HOTEL}/reservation", mets "Hélène Aubry" dans "#nom" et "2026-04-10" dans '
            '"#arrivee", choisis "3" dans "#nuits", clique sur "#reserver", puis prends une capture "lavandou".',
            call("puppeteer_navigate", url=f"{_HOTEL}/reservation"),
            (
                call("puppeteer_fill", selector="#nom", value="Hélène Aubry"),
                call("puppeteer_fill", selector="#arrivee", value="2026-04-10"),
                call("puppeteer_select", selector="#nuits", value="3"),
            ),
            call("puppeteer_click", selector="#reserver"),
            call("puppeteer_screenshot", name="lavandou"),
            named_servers="puppeteer",
        ),
        request(
            "en",
            f'Let Puppeteer go to "{_BOOKS}/", click "#contact" there and photograph the form "#message" as "form".',
            call("puppeteer_navigate", url=f"{_BOOKS}/"),
            call("puppeteer_click", selector="#contact"),
            call("puppeteer_screenshot", name="form", selector="#message"),
            named_servers="puppeteer",
        ),
    ]
