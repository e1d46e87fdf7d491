"""The suite ``toolbench``: in the public format, decidable, solvable, and not passed by doing nothing."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.generation import toolbench
from pytest_mcpbench.generation.toolbench.records import OUTPUT, SERVERS, SIMILAR_TOOLS, server_of
from pytest_mcpbench.metrics.comparison.arguments import has_placeholder
from pytest_mcpbench.metrics.comparison.call_graph import CallGraph
from pytest_mcpbench.metrics.comparison.calls import call_ids
from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.maps.places import CITIES, PLACES
from pytest_mcpbench.simulated.market.world import COMPANIES
from pytest_mcpbench.simulated.payments.world import seed as account_seed
from tests.suites import shipped

SUITE = shipped.SUITES / "toolbench"
SIMULATIONS: dict[str, Simulation] = {name: each for servers in SERVERS.values() for name, each in servers.items()}


TASKS = shipped.tasks("toolbench")
RECORDS = [row for path in toolbench.task_files() for row in json.loads((SUITE / path).read_text(encoding="utf-8"))]


_QUOTE = "get_stock_price_global_market"
_OF_THE_DAY = re.compile(r"\b(high|change|volume|variation|variación|изменение|изменением)\b|涨跌幅|最高价")


def test_regenerating_gives_the_files_that_are_checked_in() -> None:
    made = toolbench.task_files()
    assert {path: (SUITE / path).read_text(encoding="utf-8") for path in made} == made


def test_generating_writes_every_file(tmp_path: Path) -> None:
    toolbench.write(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")} == set(toolbench.task_files())


def test_records_have_the_keys_of_the_released_ones_and_the_language() -> None:
    keys = {"uuid", "category", "call_type", "tools", "mcp_tools_dict", "query", "function_call_label"}
    assert {frozenset(row) - {"language"} for row in RECORDS} == {frozenset(keys)}
    of_a_call = {"name", "step", "id", "mcp_server", "similar_tools", "input", "output"}
    calls = [call for row in RECORDS for call in row["function_call_label"]]
    assert {frozenset(call) for call in calls} == {frozenset(of_a_call)}
    assert all(call["output"] == OUTPUT for call in calls)


def test_the_suite_has_the_servers_of_its_categories() -> None:
    assert set(shipped.suite("toolbench").servers) == set(SIMULATIONS)


def test_the_prompt_says_what_day_it_is() -> None:
    day = f"{DEFAULT_NOW:%A}, {DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}, {DEFAULT_NOW:%H:%M}"
    assert day in str(shipped.suite("toolbench").system)


def test_every_plain_argument_can_be_read_off_the_request() -> None:
    """What a call is to be given stands in the request, but for what must be known: symbols, modes, kinds, counts."""
    unsaid = [
        (task.id, call.tool, value)
        for task in TASKS
        for call in task.expected.flat_calls
        for value in _texts(call.arguments)
        if not _is_said(value, task)
    ]
    known = {"symbol", "ticker", *(text for company in COMPANIES for text in (company.symbol, company.ticker))}
    words = known | _CODES
    assert [each for each in unsaid if each[2] not in words] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_reference_calls_validate_succeed_and_refer_to_what_is_there(task: Task, tmp_path: Path) -> None:
    if task.context.files:
        shutil.copytree(SUITE / task.context.files, tmp_path, dirs_exist_ok=True)
    states = {name: SIMULATIONS[name].state(World(name, tmp_path, DEFAULT_NOW, Ids(task.id))) for name in task.servers}
    ids = frozenset(call_ids(task.expected.flat_calls))
    results: dict[str, ToolResult] = {}
    for call in task.expected.flat_calls:
        simulation = SIMULATIONS[str(call.server)]
        schema = simulation.table[call.tool].input_schema
        arguments = fill_placeholders(dict(call.arguments), results, schema)
        assert isinstance(arguments, dict)
        assert not has_placeholder(arguments, ids), f"{call.tool} refers to what no call gave: {arguments}"
        Draft202012Validator(schema).validate(arguments)
        results[call.id] = _result(simulation.call(states[str(call.server)], call.tool, arguments), simulation)
        assert results[call.id].text.strip() not in ("", "[]", "No matches found")
        assert '"results": []' not in results[call.id].text
        assert '"places": []' not in results[call.id].text


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_nothing_waits_for_is_called_last(task: Task) -> None:
    """So that ``dag_leaf`` of the reference itself is 1: its sinks are the calls of its last step."""
    graph = CallGraph.of(task.expected.calls)
    last = task.expected.calls[-1].calls
    assert [graph.nodes[index].id for index in graph.sinks] == [call.id for call in last]


def test_every_symbol_is_that_of_a_company_which_the_request_names() -> None:
    by_symbol = {symbol: company for company in COMPANIES for symbol in (company.symbol, company.ticker)}
    named = [
        (task.id, symbol)
        for task in TASKS
        for call in task.expected.flat_calls
        for symbol in (*_listed(call.arguments.get("symbol_list")), *_listed(call.arguments.get("ticker")))
        if _SPOKEN.get(symbol, by_symbol[symbol].name.split()[0].rstrip(",").removesuffix(".com")) not in task.prompt
    ]
    assert named == []


def test_every_symbol_is_on_the_market_that_is_asked() -> None:
    on_market = {(company.market, company.symbol) for company in COMPANIES}
    asked = {
        (call.arguments["market"], symbol)
        for task in TASKS
        for call in task.expected.flat_calls
        if "market" in call.arguments
        for symbol in _listed(call.arguments["symbol_list"])
    }
    assert asked <= on_market


def test_similar_tools_exist_and_belong_to_servers_of_one_category() -> None:
    categories = {server: category for category, servers in SERVERS.items() for server in servers}
    assert all(len({categories[server_of(tool)] for tool in group}) == 1 for group in SIMILAR_TOOLS)
    assert {len({server_of(tool) for tool in group}) - len(group) for group in SIMILAR_TOOLS} == {0}


def test_who_wants_a_quote_wants_what_the_facts_of_a_company_do_not_say() -> None:
    """``get_stock_info`` knows the price too: only the day's movement makes one tool right."""
    asked = [task for task in TASKS if any(call.tool == _QUOTE for call in task.expected.flat_calls)]
    assert [task.id for task in asked if not _OF_THE_DAY.search(shipped.request(task))] == []


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


def test_the_spread_is_what_the_source_says() -> None:
    said = (SUITE / "SOURCE.md").read_text(encoding="utf-8")
    rows = [
        _row(category, [task for task in TASKS if task.tags["category"] == category])
        for category in toolbench.CATEGORIES
    ]
    assert [row for row in (*rows, _row("all", TASKS)) if row not in said] == []
    languages = Counter(task.tags["language"] for task in TASKS)
    assert [row for row in (f"| {name} | {count} |" for name, count in languages.items()) if row not in said] == []


def _row(name: str, tasks: Sequence[Task]) -> str:
    """Number of tasks, of those with several calls, with parallel calls, with references to results; most calls."""
    several = [task for task in tasks if len(task.expected.flat_calls) > 1]
    parallel = sum(any(len(group.calls) > 1 for group in task.expected.calls) for task in tasks)
    referring = sum(any(_refers(call.arguments) for call in task.expected.flat_calls) for task in tasks)
    most = max(len(task.expected.flat_calls) for task in tasks)
    return f"| {name} | {len(tasks)} | {len(several)} | {parallel} | {referring} | {most} |"


def _refers(value: Any) -> bool:
    return "_result" in json.dumps(value)


def _result(value: Any, simulation: Simulation) -> ToolResult:
    """What the server answers, as the agent gets it."""
    if isinstance(value, list) and value and isinstance(value[0], Content):
        return ToolResult(content=tuple(value))
    if isinstance(value, Content):
        return ToolResult(content=(value,))
    return ToolResult.of_text(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=simulation.indent)
    )


def _texts(value: Any) -> Iterator[str]:
    """Every text in an argument that does not refer to a result."""
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
    return value.casefold() in task.prompt.replace('\\"', '"').casefold()


def _listed(value: Any) -> list[str]:
    """The symbols of an argument that may be one, several or none."""
    return [] if value is None else value if isinstance(value, list) else [value]


_SPOKEN = {
    "700": "腾讯",
    "SH600519": "贵州茅台",
    "600036.SS": "招商银行",
    "KO": "Coca-Cola",
    "MC": "LVMH",
    "MC.PA": "LVMH",
}
"""Symbol -> what a company is called in requests, where that is not the first word of its name."""

_CODES = {
    # Travel modes, kinds and switches.
    *("walking", "driving", "bicycling", "transit", "riding", "0"),
    *("5d", "1mo", "3mo", "6mo", "1y", "1wk", "size", "income_stmt", "quarterly_income_stmt"),
    *("PHYSICAL", "DIGITAL", "SERVICE", "MONTH", "YEAR", "REGULAR", "TRIAL", "Enter"),
    # Markets and currencies.
    *("US", "HK", "CN_MAINLAND", "LSE", "NSE_INDIA", "EURONEXT"),
    *("USD", "EUR", "GBP", "CNY", "HKD", "INR", "RUB", "JPY"),
    # How many, as text.
    *("1", "2", "3"),
}
