"""The suite ``toolbench``: records in the public format, requests that determine their reference calls."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import anyio
import pytest
from pydantic import JsonValue

from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall, ScriptedStep
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.core.task import ArgumentMatcher, ExpectedCall, SimilarTool, Task
from pytest_mcpbench.generation.toolbench import OUTPUT, SERVERS, ToolbenchRequest, requests, server_of, similar_tools
from pytest_mcpbench.generation.toolbench.wordings import site_found, wording
from pytest_mcpbench.metrics.comparison.arguments import has_placeholder
from pytest_mcpbench.metrics.comparison.calls import call_ids
from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.browser.document import PageElement, select_first
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.files.world import FileWorld
from pytest_mcpbench.simulated.maps import geography
from pytest_mcpbench.simulated.maps.places import CITIES, PLACES
from pytest_mcpbench.simulated.market.world import COMPANIES
from pytest_mcpbench.simulated.payments.world import seed as account_seed
from pytest_mcpbench.simulated.search import index
from pytest_mcpbench.text.json_reading import replace_at, value_at
from tests.suites import dictation, shipped
from tests.suites.reference_attempts import one_worker, reference_attempts

pytestmark = one_worker("toolbench")

SUITE = shipped.SUITES / "toolbench"
SIMULATIONS: dict[str, Simulation] = {name: each for servers in SERVERS.values() for name, each in servers.items()}


_QUOTE = "get_stock_price_global_market"
_OF_THE_DAY = re.compile(
    r"\b(high|change|moved|volume|variation|variación|volumen|изменение|изменением|объём)\b|涨跌幅|最高价|成交量"
)


_SPOKEN_SERVERS: dict[str | None, tuple[str, ...]] = {
    "playwright": ("Playwright",),
    "puppeteer": ("Puppeteer",),
    "tavily": ("Tavily",),
    "google-search": ("Google", "谷歌"),
    "google-maps": ("Google",),
    "baidu-maps": ("Baidu", "百度"),
    "amap-maps": ("Amap", "高德"),
}
"""Servers whose tools have counterparts on other servers -> their names in requests."""
_RIVALS = (
    {"maps_geocode", "map_geocode", "maps_geo"},
    {"maps_reverse_geocode", "map_reverse_geocode", "maps_regeocode"},
    {"maps_search_places", "map_search_places"},
    {"maps_place_details", "map_place_details", "maps_search_detail"},
    {"maps_directions", "map_directions"},
    *({"maps_directions", f"maps_direction_{mode}"} for mode in ("driving", "walking", "bicycling")),
    *({"map_directions", f"maps_direction_{mode}"} for mode in ("driving", "walking", "bicycling")),
    {"maps_distance_matrix", "maps_distance"},
    {"map_weather", "maps_weather"},
    {"tavily_search", "google_search"},
    {"tavily_extract", "read_webpage"},
    *({f"playwright_{act}", f"puppeteer_{act}"} for act in ("navigate", "click", "fill", "select", "screenshot")),
)
"""Tools of different servers that can do the same."""


def test_records_have_the_keys_of_the_released_ones_and_the_language() -> None:
    keys = {"uuid", "category", "call_type", "tools", "mcp_tools_dict", "query", "function_call_label"}
    assert {frozenset(row) - {"language"} for row in shipped.records("toolbench")} == {frozenset(keys)}
    of_a_call = {"name", "step", "id", "mcp_server", "similar_tools", "input", "output"}
    calls = [call for row in shipped.records("toolbench") for call in row["function_call_label"]]
    assert {frozenset(call) - {"matchers"} for call in calls} == {frozenset(of_a_call)}
    assert all(call["output"] == OUTPUT for call in calls)


def test_the_note_about_the_source_counts_the_tasks_as_they_are() -> None:
    said = (SUITE / "SOURCE.md").read_text(encoding="utf-8")
    records = shipped.records("toolbench")
    languages = Counter(row["language"] for row in records)
    lengths = sorted(Counter(len(row["function_call_label"]) for row in records).items())
    categories = Counter(row["category"] for row in records)
    shares = (categories[name] for name in ("browser", "filesystem", "search", "map", "finance", "pay", "cross"))
    counted = [
        *(_row(name, *_counts([row for row in records if row["category"] == name])) for name in categories),
        _row("all", *_counts(records)),
        *(_row(language, count) for language, count in languages.items()),
        _row("calls of a task", *(length for length, _ in lengths)),
        _row("tasks", *(count for _, count in lengths)),
        _row("here", *(f"{100 * count / len(records):.0f} %" for count in shares)),
        f"These {len(records)} tasks",
        f"({len(records) - categories['cross']} tasks of one category, and {categories['cross']} that need several)",
        f"{lengths[0][1]} tasks have one call, {len(records) - lengths[0][1]} several.",
    ]
    assert [each for each in counted if each not in said] == []


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _counts(rows: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return the tasks, those with several calls, parallel calls and references to results, and the most calls."""
    labels = [row["function_call_label"] for row in rows]
    steps = [Counter(call["step"] for call in label) for label in labels]
    parallel = sum(max(each.values()) > 1 for each in steps)
    referring = sum("_result" in json.dumps([call["input"] for call in label]) for label in labels)
    lengths = [len(label) for label in labels]
    return len(rows), sum(length > 1 for length in lengths), parallel, referring, max(lengths)


def test_the_suite_has_the_servers_of_its_categories() -> None:
    assert set(shipped.suite("toolbench").servers) == set(SIMULATIONS)


def test_the_prompt_states_the_day() -> None:
    day = f"{DEFAULT_NOW:%A}, {DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}, {DEFAULT_NOW:%H:%M}"
    assert day in str(shipped.suite("toolbench").system)


def test_every_plain_argument_can_be_read_off_the_request() -> None:
    """Symbols, modes, kinds, counts and distances are excepted: the agent must know or derive them."""
    unsaid = [
        (task.id, call.tool, value)
        for task in shipped.tasks("toolbench")
        for call in task.expected.flat_calls
        for value in _texts(_plain_arguments(call))
        if not _is_said(value, task)
    ]
    known = {"symbol", "ticker", *(text for company in COMPANIES for text in (company.symbol, company.ticker))}
    words = known | _CODES
    assert [each for each in unsaid if each[2] not in words] == []


def _plain_arguments(call: ExpectedCall) -> JsonValue:
    """Return the arguments for which one value alone is right, without distances and options of lists on a page."""
    found = {"radius", *(["value"] if call.tool.endswith("_select") else [])}
    arguments: Any = {name: value for name, value in call.arguments.items() if name not in found}
    for matcher in call.matchers:
        arguments = replace_at(arguments, matcher.at, None)
    return arguments  # type: ignore[no-any-return]  # it is JSON


@pytest.mark.extra
def test_every_place_city_and_kind_of_place_is_in_the_request_in_some_case_of_its_words() -> None:
    unsaid = [
        (request.place, text)
        for category in ("map", "cross")
        for request in requests(category)
        for _, _, call in request.numbered_calls
        for text in _looked_for([*call.arguments.values()])
        if not all(stem in request.ask.casefold() for stem in _stems(text))
    ]
    assert unsaid == []


def _looked_for(value: Any) -> Iterator[str]:
    """Yield what the request must say of each value that has several wordings; what calls find, it need not say."""
    if wording(value) is not None:
        yield from (text for key, text in value.items() if key in ("place", "city", "find", "in"))
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _looked_for(part)


def _stems(text: str) -> list[str]:
    return [word.casefold()[: 4 if word.isascii() or word[0] > "\u2fff" else 3] for word in re.findall(r"\w{2,}", text)]


def test_every_search_of_the_web_is_about_words_of_the_request() -> None:
    searches = _web_searches()
    assert len(searches) > 50
    unsaid = [
        (request.place, group)
        for request, value in searches
        for group in value["about"]
        if not any(word.casefold() in said for word in group.split("/") for said in _said_or_found(request, value))
    ]
    assert unsaid == []


def _said_or_found(request: ToolbenchRequest, search: Mapping[str, Any]) -> list[str]:
    """Return the request, and the names of the places that an earlier search for a kind of place finds."""
    earlier = search.get("after")
    assert earlier is None or any({"query": earlier} == call.arguments for _, _, call in request.numbered_calls)
    found = geography.find_places(f"{earlier['find']} {earlier['in']}") if earlier else []
    return [text.casefold() for text in (request.ask, *geography.names_of(found))]


def test_every_search_of_the_web_that_is_accepted_finds_the_same_site() -> None:
    """It stands first with words that fit any search, and among the hits with those for what people want to know."""
    wrong = []
    for query, about in _distinct_searches():
        site = site_found(query)
        for words in [*product(*(group.split("/") for group in about)), (query,)]:
            said = " ".join(words)
            wrong += [(said, word) for word in _ADDED if {site_found(f"{said} {word}")} != {site}]
            wrong += [(said, word) for word in _WANTED if site not in _sites(f"{said} {word}")]
    assert wrong == []


def test_no_search_of_the_web_is_accepted_that_finds_another_site() -> None:
    searches = _distinct_searches()
    patterns = {query: _pattern({"query": query, "about": [*about]}) for query, about in searches}
    wrong = [
        (query, other)
        for query, pattern in patterns.items()
        for other in filter(pattern.fullmatch, patterns)
        if site_found(other) != site_found(query)
    ]
    assert wrong == []


def _web_searches() -> list[tuple[ToolbenchRequest, Mapping[str, Any]]]:
    return [
        (request, value)
        for category in ("search", "cross")
        for request in requests(category)
        for _, _, call in request.numbered_calls
        for value in call.arguments.values()
        if isinstance(value, Mapping) and "about" in value
    ]


def _distinct_searches() -> list[tuple[str, tuple[str, ...]]]:
    return sorted({(value["query"], tuple(value["about"])) for _, value in _web_searches()})


def _sites(query: str) -> list[str | None]:
    return [sites.host_of(page.url) for page in index.web().search(query, 5)]


_ADDED = (
    *("2026", "website", "online", "information", "details", "información", "página", "informations", "internet"),
    *("информация", "сайт", "подробности", "官网", "介绍", "信息"),
)
_WANTED = (
    *("official site", "timetable", "schedule", "prices", "opening hours", "news", "history and facts"),
    *("расписание", "цены", "horarios", "precios", "horaires", "prix", "时间", "价格"),
)


def test_every_pattern_that_is_accepted_finds_the_same_files() -> None:
    tried, wrong = 0, []
    for task, call in _calls():
        for matcher in call.matchers if call.server == "filesystem" else ():
            for other in matcher.one_of:
                tried += 1
                changed: Any = replace_at(dict(call.arguments), matcher.at, other)
                wrong += [] if _files_found(call, changed) == _files_found(call, call.arguments) else [(task.id, other)]
    assert wrong == []
    assert tried > 30


def _files_found(call: ExpectedCall, arguments: Mapping[str, Any]) -> object:
    files = FileWorld(World("files", SUITE / "files", DEFAULT_NOW, Ids("files")))
    excluded = arguments.get("excludePatterns", ())
    if call.tool == "search_files":
        return files.search(arguments["path"], arguments["pattern"], excluded)
    return files.tree(arguments["path"], excluded)


def test_every_passage_that_is_accepted_leads_to_the_same_file() -> None:
    """The words alone, what the reference plays and the whole line, of which a file must have one each."""
    made: list[Any] = [call.arguments for request in requests("filesystem") for _, _, call in request.numbered_calls]
    edits = [
        (arguments["path"], edit["oldText"], edit["newText"])
        for arguments in made
        for edit in arguments.get("edits", ())
        if isinstance(edit["oldText"], Mapping)
    ]
    assert len(edits) > 8
    for path, old, new in edits:
        text = (SUITE / "files" / path).read_text(encoding="utf-8")
        line = next(each for each in text.splitlines() if old["passage"] in each)
        passages = [(old[name], new[name]) for name in ("passage", "with")]
        passages.append((line, line.replace(old["passage"], new["passage"])))
        assert len({text.replace(before, after, 1) for before, after in passages}) == 1
        assert all(_pattern(old).fullmatch(before) and _pattern(new).fullmatch(after) for before, after in passages)


@pytest.mark.parametrize(
    ("words", "passage", "is_accepted"),
    [
        ("灯笼", "展览名叫灯笼。", True),
        ("14", "3月14号", True),
        ("14", "at 140 euros", False),
        ("amber", "theme: amber", True),
        ("amber", "theme: ambers", False),
    ],
)
def test_the_words_of_a_passage_stand_alone_unless_they_stand_among_chinese_characters(
    words: str, passage: str, is_accepted: bool
) -> None:
    assert bool(_pattern({"passage": words, "with": words}).fullmatch(passage)) is is_accepted


@pytest.mark.extra
def test_every_wording_that_is_accepted_finds_what_the_reference_finds() -> None:
    """Names of places and cities and words for kinds of places, alone and together, are played on the maps."""
    tried, wrong = 0, []
    for call, matcher in _matched().values():
        example = value_at(call.arguments, matcher.at)
        expected = _found(call, matcher, example)
        for other in filter(_acceptance(matcher), _other_wordings(example)):
            tried += 1
            wrong += [] if _found(call, matcher, other) == expected else [(example, other)]
    assert wrong == []
    assert tried > 1000


def _matched() -> dict[tuple[Any, ...], tuple[ExpectedCall, ArgumentMatcher]]:
    """Return each matcher of the maps once, with a call that has it."""
    calls = (call for _, call in _calls() if call.server in SERVERS["map"])
    found = ((call, matcher) for call in calls for matcher in call.matchers)
    return {(each.regex, each.one_of): (call, each) for call, each in found}


def _acceptance(matcher: ArgumentMatcher) -> Callable[[str], bool]:
    if matcher.regex is None:
        return lambda text: text in matcher.one_of
    pattern = re.compile(matcher.regex)
    return lambda text: pattern.fullmatch(text) is not None


def test_a_wording_of_another_place_is_not_accepted() -> None:
    names = [name for place in PLACES for name in place.names]
    wrong = [
        (call.tool, name)
        for call, matcher in _matched().values()
        if matcher.regex and call.tool not in _SEARCHES
        for name in filter(_acceptance(matcher), names)
        if _located(name) != _located(str(value_at(call.arguments, matcher.at)))
    ]
    assert wrong == []


_SEARCHES = ("maps_search_places", "map_search_places", "maps_around_search")


def _other_wordings(example: Any) -> Iterator[str]:
    """Yield names of places, words for kinds of them and names of cities, alone and together."""
    cities = [name for city in CITIES for name in city.names]
    here = next((city for city in CITIES if any(name in example for name in city.names)), None)
    spot = geography.locate(example)
    yield from (*cities, *(city.adcode for city in CITIES))
    if spot is not None and spot.place is not None and spot.city is not None:
        for name in (*spot.place.names, spot.place.address):
            yield from (name, f"the {name}", name.upper())
            yield from (
                form for city in spot.city.names for form in (f"{name}, {city}", f"{city} {name}", f"{city}{name}")
            )
    for word in geography.kind_words():
        yield from (word, word.title())
        for city in here.names if here else ():
            yield from (f"{word} {city}", f"{city}, {word}", f"{word} in {city}", f"{word} à {city}", f"{city}{word}")


def _found(call: ExpectedCall, matcher: ArgumentMatcher, text: Any) -> Any:
    """Return what the maps find for a text in place of the reference's."""
    if "city" in matcher.at or "region" in matcher.at:
        return geography.find_city(text)
    if call.tool in _SEARCHES:
        region = call.arguments.get("region")
        places = geography.find_places(text, region if isinstance(region, str) else None)
        return places if len(call.arguments) == 1 or region else bool(places)
    return _located(text)


_located = cache(geography.locate)


@pytest.mark.extra
def test_every_result_of_a_reference_call_holds_something_and_every_placeholder_is_filled() -> None:
    flawed = [
        (attempt.task.id, call.tool, call.arguments)
        for attempt in reference_attempts("toolbench")
        for call in attempt.evidence.calls
        if has_placeholder(call.arguments, frozenset(call_ids(attempt.task.expected.flat_calls)))
        or _is_empty(call.result.text if call.result else "")
    ]
    assert flawed == []


def _is_empty(text: str) -> bool:
    return text.strip() in ("", "[]", "No matches found") or '"results": []' in text or '"places": []' in text


def test_every_symbol_is_that_of_a_company_which_the_request_names() -> None:
    by_symbol = {symbol: company for company in COMPANIES for symbol in (company.symbol, company.ticker)}
    named = [
        (task.id, symbol)
        for task in shipped.tasks("toolbench")
        for call in task.expected.flat_calls
        for symbol in (*_listed(call.arguments.get("symbol_list")), *_listed(call.arguments.get("ticker")))
        if not any(name in task.prompt for name in (_first_word(by_symbol[symbol].name), *_SPOKEN.get(symbol, ())))
    ]
    assert named == []


def test_every_symbol_is_on_the_market_that_is_asked() -> None:
    on_market = {(company.market, company.symbol) for company in COMPANIES}
    asked = {
        (call.arguments["market"], symbol)
        for task in shipped.tasks("toolbench")
        for call in task.expected.flat_calls
        if "market" in call.arguments
        for symbol in _listed(call.arguments["symbol_list"])
    }
    assert asked <= on_market


def test_similar_tools_exist_and_belong_to_servers_of_one_category() -> None:
    categories = {server: category for category, servers in SERVERS.items() for server in servers}
    assert all(len({categories[server_of(tool)] for tool in group}) == 1 for group in similar_tools())
    assert {len({server_of(tool) for tool in group}) - len(group) for group in similar_tools()} == {0}


def test_similar_tools_take_the_same_required_parameters() -> None:
    """Otherwise any value of a parameter that only the similar tool has would pass."""
    schemas = {tool.tool: tool.input_schema for tool in shipped.tools("toolbench")}
    required = [{frozenset(schemas[tool]["required"]) for tool in group} for group in similar_tools()]
    assert [len(each) for each in required] == [1] * len(required)


def test_no_call_with_similar_tools_has_a_result_that_another_call_needs() -> None:
    """Results of similar tools differ in their paths, so that any value would pass for a part of them."""
    needed = [
        (task.id, call.tool)
        for task, call in _calls()
        if call.similar_tools
        and has_placeholder([each.arguments for each in task.expected.flat_calls], frozenset({call.id}))
    ]
    assert needed == []


def test_a_request_names_the_server_where_another_one_that_is_offered_does_the_same() -> None:
    unnamed = [
        (task.id, call.tool)
        for task, call in _calls()
        if _rivals(task, call) and not any(word in task.prompt for word in _SPOKEN_SERVERS[call.server])
        if not any(_has_no_rival(each) and each.server == call.server for each in task.expected.flat_calls)
    ]
    assert unnamed == []


def _rivals(task: Task, call: ExpectedCall) -> set[str]:
    """Return the tools that the agent has and that do the same, but are not accepted."""
    same = {tool for group in _RIVALS if call.tool in group for tool in group if server_of(tool) != call.server}
    return {tool for tool in same if server_of(tool) in task.servers} - {each.tool for each in call.similar_tools}


def _has_no_rival(call: ExpectedCall) -> bool:
    return not any(call.tool in group for group in _RIVALS)


_PROVIDER = re.compile(r"google|谷歌|baidu|百度|amap|高德|tavily|playwright|puppeteer|paypal", re.IGNORECASE)
_WORKSHEET = (_PROVIDER, dictation.QUOTATION, dictation.SELECTOR, dictation.COORDINATE)


@pytest.mark.parametrize(
    ("category", "most"),
    [
        ("map", (0, 0, 0, 0.06)),
        ("search", (0.02, 0, 0, 0)),
        ("browser", (0, 0.09, 0, 0)),
        ("cross", (0, 0.02, 0, 0.02)),
        ("pay", (0, 0.09, 0, 0)),
        ("filesystem", (0, 0.1, 0, 0)),
        ("finance", (0, 0, 0, 0)),
    ],
)
def test_requests_are_written_as_people_write(category: str, most: tuple[float, ...]) -> None:
    """In the public files providers are named in 0.6 % of the requests, 9 % have quotation marks, none coordinates."""
    asked = [shipped.request(task) for task in shipped.tasks("toolbench") if task.tags["category"] == category]
    dictated = [[each for each in asked if words.search(each)] for words in _WORKSHEET]
    assert [each for each, share in zip(dictated, most, strict=True) if len(each) > share * len(asked)] == []


def test_an_element_is_found_on_the_page_unless_the_request_names_what_it_shows_or_its_id() -> None:
    """An agent that has not read the HTML of a page cannot know the names of its fields."""
    unfound = []
    for task in shipped.tasks("toolbench"):
        is_page_read = False
        for call in task.expected.flat_calls:
            name = str(call.arguments.get("selector", "")).removeprefix("text=").removeprefix("#")
            is_named = name.casefold() in shipped.request(task).casefold()
            unfound += [] if is_page_read or is_named else [(task.id, name)]
            is_page_read = call.tool == "playwright_get_visible_html" or (is_page_read and not _leaves(call))
    assert unfound == []


def _leaves(call: ExpectedCall) -> bool:
    return call.tool.endswith(("_navigate", "_click", "_press_key", "_go_back"))


@pytest.mark.extra
def test_every_selector_that_is_accepted_selects_the_element() -> None:
    wrong = []
    for value in _elements():
        page = sites.document(value["on"])
        pattern, element = _pattern(value), select_first(page, value["element"])
        accepted = [each for each in _other_selectors(page) if pattern.fullmatch(each)]
        assert len(accepted) > 3
        wrong += [(value, each) for each in accepted if select_first(page, each) is not element]
    assert wrong == []


def test_a_button_is_selected_by_its_tag_and_text_where_another_element_shows_the_text_first() -> None:
    join = _pattern({"element": "#join", "on": "https://yoga.yunhe.example/signup"})
    assert join.fullmatch('button:has-text("报名")')
    assert not join.fullmatch("text=报名")


def _pattern(value: Mapping[str, Any]) -> re.Pattern[str]:
    found = wording(value)
    assert found is not None
    return re.compile(found.accepted["regex"])


def _elements() -> list[Mapping[str, Any]]:
    return [
        value
        for category in ("browser", "cross")
        for request in requests(category)
        for _, _, call in request.numbered_calls
        for value in call.arguments.values()
        if isinstance(value, Mapping) and "element" in value
    ]


def _other_selectors(page: PageElement) -> Iterator[str]:
    """Yield selectors of all elements of a page, by each attribute, with and without their tags and forms."""
    for element in page.descendants():
        form = element.ancestor("form")
        inside = ["", "form ", *([f"#{form.attributes['id']} ", f"form#{form.attributes['id']} > "] if form else [])]
        names = [f"#{element.attributes['id']}"] if "id" in element.attributes else []
        names += [f'[{name}="{value}"]' for name, value in element.attributes.items()]
        names += [f".{name}" for name in element.attributes.get("class", "").split()]
        yield from (f"{start}{element.tag}" for start in inside)
        yield from (f"{start}{tag}{name}" for start in inside for tag in ("", element.tag) for name in names)
        if element.text:
            yield from (f"text={element.text}", f'text="{element.text}"', f"text={element.text.upper()}")
            yield f'{element.tag}:has-text("{element.text}")'


@pytest.mark.extra
def test_an_attempt_with_a_similar_tool_passes() -> None:
    problems = anyio.run(_problems_with_similar_tools)
    assert [each for each in problems if each[2]] == []
    assert len(problems) == 40


async def _problems_with_similar_tools() -> list[tuple[str, str, str]]:
    """Play the only reference call of each task with each of its similar tools."""
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite("toolbench"), pool)
        alternatives = [
            (task, call, similar)
            for task, call in _calls()
            for similar in call.similar_tools
            if len(task.expected.flat_calls) == 1
        ]
        return [(task.id, other.tool, await _problem(player, task, call, other)) for task, call, other in alternatives]


async def _problem(player: Player, task: Task, call: ExpectedCall, similar: SimilarTool) -> str:
    made = ScriptedStep(calls=(ScriptedCall(similar.tool, call.arguments, similar.server),))
    result = await player.play(task, ScriptAgent(Script((made, ScriptedStep(text="Done.")))))
    card = player.score(task, result.evidence)
    return "; ".join((*card.shortfalls, *card.unscored))


def _calls() -> list[tuple[Task, ExpectedCall]]:
    return [(task, call) for task in shipped.tasks("toolbench") for call in task.expected.flat_calls]


def _tools_of(task: Task) -> set[str]:
    return {call.tool for call in task.expected.flat_calls}


def test_two_attempts_see_the_same_paths() -> None:
    first, second = anyio.run(_seen_paths), anyio.run(_seen_paths)
    assert first == second
    assert first[0] == "Allowed directories:\n/home/user"
    assert first[1].splitlines()[0].startswith("/home/user/studio/")


async def _seen_paths() -> list[str]:
    """Return the results of calls that name absolute paths, and of reading one of these paths."""
    task = next(task for task in shipped.tasks("toolbench") if task.id == "filesystem-001")
    calls: tuple[tuple[str, dict[str, JsonValue]], ...] = (
        ("list_allowed_directories", {}),
        ("search_files", {"path": "studio", "pattern": "**/*.txt"}),
        ("read_text_file", {"path": "/home/user/studio/notes/ideas.txt"}),
        ("read_text_file", {"path": "/tmp/elsewhere.txt"}),
    )
    steps = (ScriptedStep(calls=(ScriptedCall(name, arguments, "filesystem"),)) for name, arguments in calls)
    async with ServerPool(root=shipped.SUITES.parent) as pool:
        player = Player(shipped.suite("toolbench").model_copy(update={"exposure": "selected"}), pool)
        result = await player.play(task, ScriptAgent(Script((*steps, ScriptedStep(text="Done.")))))
    return [call.result.text for call in result.evidence.calls if call.result]


def test_a_request_for_a_quote_asks_for_a_value_that_the_company_facts_lack() -> None:
    """``get_stock_info`` returns the price too; only the day's movement leaves one right tool."""
    quotes = [
        task for task in shipped.tasks("toolbench") if any(call.tool == _QUOTE for call in task.expected.flat_calls)
    ]
    assert [task.id for task in quotes if not _OF_THE_DAY.search(shipped.request(task))] == []


def test_no_two_servers_have_a_tool_of_the_same_name() -> None:
    names = Counter(tool for each in SIMULATIONS.values() for tool in each.table)
    assert [name for name, count in names.items() if count > 1] == []


def test_the_world_behind_the_tasks_is_consistent() -> None:
    assert {place.city for place in PLACES} == {city.key for city in CITIES}
    account = account_seed()
    for invoice in account["invoices"].values():
        total = sum(float(line["quantity"]) * float(line["unit_amount"]["value"]) for line in invoice["items"])
        assert f"{total:.2f}" == invoice["amount"]["value"]
    for order in account["orders"].values():
        assert f"{sum(line['itemTotal'] for line in order['items']):.2f}" == order["amount"]["value"]
    assert all(sites.fetch(page.url).status == 200 for page in sites.indexable_pages())


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts of an argument that do not refer to a result."""
    if isinstance(value, str):
        if "_result" not in value:
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _is_said(value: str, task: Task) -> bool:
    """Return whether a request says a value; of days and coordinates it says the numbers, in whatever form."""
    day = _DAY.fullmatch(value)
    parts = [day["year"], day["day"].lstrip("0")] if day else re.split(_COORDINATES, value)
    return all(part.casefold() in task.prompt.replace('\\"', '"').casefold() for part in parts if part)


_DAY = re.compile(r"(?P<year>\d{4})-\d\d-(?P<day>\d\d)")
_COORDINATES = re.compile(r"(?<=\d),(?=-?\d)")


def _listed(value: Any) -> list[str]:
    """Return the symbols of an argument that holds one, several or none."""
    return [] if value is None else value if isinstance(value, list) else [value]


def _first_word(name: str) -> str:
    return name.split()[0].rstrip(",").removesuffix(".com")


_SPOKEN = {
    "KO": ("Coca-Cola",),
    "AAPL": ("苹果",),
    "TSLA": ("特斯拉",),
    "700": ("腾讯",),
    "0700.HK": ("腾讯",),
    "1024": ("快手",),
    "1024.HK": ("快手",),
    "9988.HK": ("阿里巴巴",),
    "1810": ("小米",),
    "1810.HK": ("小米",),
    "SH600519": ("贵州茅台", "Moutai"),
    "600519.SS": ("贵州茅台", "Moutai"),
    "600036.SS": ("招商银行",),
    "SZ300750": ("宁德时代",),
    "300750.SZ": ("宁德时代",),
    "HSBA.L": ("汇丰",),
    "MC": ("LVMH",),
    "MC.PA": ("LVMH",),
}
"""Symbol -> other names of the company in requests than the first word of its full name."""

_CODES = {
    # Travel modes, kinds and switches.
    *("walking", "driving", "bicycling", "transit", "riding", "0"),
    *("5d", "1mo", "3mo", "6mo", "1y", "1wk", "size", "income_stmt", "quarterly_income_stmt", "advanced"),
    *("PHYSICAL", "DIGITAL", "SERVICE", "WEEK", "MONTH", "YEAR", "REGULAR", "TRIAL", "Enter", "ON_HOLD"),
    # Carriers and categories as the description of the tool writes them.
    *("CHINA_POST", "CORREOS", "JAPAN_POST", "ROYAL_MAIL", "RUSSIAN_POST", "SF_EXPRESS"),
    *("ARTS_AND_CRAFTS", "HOME_AND_GARDEN"),
    # Markets and currencies.
    *("US", "HK", "CN_MAINLAND", "LSE", "NSE_INDIA", "EURONEXT"),
    *("USD", "EUR", "GBP", "CNY", "HKD", "INR", "RUB", "JPY"),
    # How many, as text.
    *("1", "2", "3"),
}
