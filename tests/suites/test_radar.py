"""The suite ``radar``: the distribution of its tasks, and requests that leave one right way to fulfil them."""

import re
from collections import Counter
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import DEFAULT_NOW
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.generation.radar import FILES, HOME, home_worlds
from pytest_mcpbench.simulated.calendar.server import SIMULATION as CALENDAR
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.files.server import simulation as files
from pytest_mcpbench.simulated.mail.server import SIMULATION as MAIL
from pytest_mcpbench.simulated.math.server import SIMULATION as MATH
from pytest_mcpbench.simulated.terminal.server import simulation as terminal
from pytest_mcpbench.simulated.websearch.server import SIMULATION as WEB
from pytest_mcpbench.text.json_reading import replace_at
from tests.suites import shipped
from tests.suites.reference_attempts import one_worker, reference_attempts

pytestmark = one_worker("radar")

SUITE = shipped.SUITES / "radar"
PROMPTS = (shipped.suite("radar").system, *shipped.suite("radar").prompts.values())
SIMULATIONS: dict[str, Simulation] = {
    "mail": MAIL,
    "calendar": CALENDAR,
    "math": MATH,
    "websearch": WEB,
    "files": files(HOME),
    "terminal": terminal(HOME),
}
READING = {
    "read_email",
    "search_emails",
    "list_email_labels",
    "list_filters",
    "get_filter",
    "list_calendars",
    "list_events",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
    "get_config",
    "read_process_output",
    "list_sessions",
    "list_processes",
}


def _operations() -> list[Task]:
    return [task for task in shipped.tasks("radar") if task.tags["kind"] == "fuzzy"]


def test_every_domain_has_as_many_tasks_as_the_benchmark_and_all_have_49_tools() -> None:
    counts = Counter(
        (task.tags["domain"], task.tags["kind"], task.tags.get("steps")) for task in shipped.tasks("radar")
    )
    assert counts == {
        ("email", "fuzzy", "single"): 85,
        ("email", "fuzzy", "multi"): 34,
        ("calendar", "fuzzy", "single"): 20,
        ("calendar", "fuzzy", "multi"): 8,
        ("math", "precise", None): 120,
        ("websearch", "precise", None): 94,
        ("filemanagement", "fuzzy", "single"): 65,
        ("filemanagement", "fuzzy", "multi"): 26,
        ("terminal", "fuzzy", "single"): 45,
        ("terminal", "fuzzy", "multi"): 18,
    }
    assert len(shipped.tasks("radar")) == 515
    assert sum(len(simulation.table) for simulation in SIMULATIONS.values()) == 49


def test_the_settings_are_those_of_the_benchmark() -> None:
    suite = shipped.suite("radar")
    assert (suite.limits.rounds, suite.exposure) == (10, "all")


def test_the_prompts_state_the_day_and_the_form_of_an_answer() -> None:
    day = f"{DEFAULT_NOW:%A}, {DEFAULT_NOW.day} {DEFAULT_NOW:%B %Y}, {DEFAULT_NOW:%H:%M}"
    assert [prompt for prompt in PROMPTS if day not in str(prompt) or "<answer>" not in str(prompt)] == []


def test_no_answer_that_stands_alone_is_in_its_question() -> None:
    given_away = [
        task.id
        for task in shipped.tasks("radar")
        if task.expected.answer
        and not task.expected.calls
        and re.search(rf"(?<![\d.]){re.escape(task.expected.answer)}(?![\d.])", task.prompt)
    ]
    assert given_away == []


def test_no_id_of_the_world_stands_in_a_request() -> None:
    ids = re.compile(r"\b[0-9a-f]{16}\b|ANGjdJ|ANe1Bm|Label_\d|[0-9A-F]{8}-[0-9A-F]{4}|\S@\S+\.example")
    assert [task.id for task in _operations() if ids.search(task.prompt)] == []


def test_a_request_for_a_plain_listing_asks_for_the_names_only() -> None:
    """Three tools list a directory, so the request must say which one is right."""
    listings = [task for task in _operations() if task.expected.flat_calls[0].tool == "list_directory"]
    assert [
        task.id for task in listings if not re.search("names only|just the names", task.prompt, re.IGNORECASE)
    ] == []
    assert len(listings) == 5


def test_every_accepted_pattern_shows_what_the_reference_shows() -> None:
    searches = [
        one
        for task in _operations()
        for one in task.expected.flat_calls
        if one.tool == "search_files" or "excludePatterns" in one.arguments
    ]
    with home_worlds("files") as world:
        state = SIMULATIONS["files"].state(world())
        different = [
            (matcher.at, choice)
            for search in searches
            for matcher in search.matchers
            for choice in matcher.one_of
            if _shown(state, search.tool, replace_at(search.arguments, matcher.at, choice))
            != _shown(state, search.tool, search.arguments)
        ]
    assert different == []
    assert all(search.matchers for search in searches)


def _shown(state: Any, tool: str, arguments: dict[str, Any]) -> Any:
    return SIMULATIONS["files"].call(state, tool, arguments)


@pytest.mark.extra
def test_exactly_the_references_with_a_writing_call_change_a_world() -> None:
    wrong = [
        attempt.task.id
        for attempt in reference_attempts("radar")
        if attempt.changes_a_world is not any(_writes(call) for call in attempt.task.expected.flat_calls)
    ]
    assert wrong == []


def _writes(call: ExpectedCall) -> bool:
    return call.tool not in READING and not call.arguments.get("dryRun")


def test_the_files_are_those_that_the_generator_knows() -> None:
    assert {task.context.files for task in shipped.tasks("radar") if task.context.files} == {"files/home"}
    assert SUITE / "files" / "home" == FILES
