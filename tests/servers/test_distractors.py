"""Distractors: random ones, those of the same categories, and those that resemble the required tools."""

from typing import Any

import pytest

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.servers.exposure import expose, servers_needed
from tests.builders import a_task, a_tool, expected_call
from tests.servers.subjects import a_suite

CATEGORIES = {"search": ("brave", "ddg"), "code": ("git",)}
OFFERED = (
    a_tool("web_search", server="brave", description="Search the web for pages."),
    a_tool("search", server="ddg", description="Search DuckDuckGo. Returns pages."),
    a_tool("fetch_content", server="ddg", description="Download a page."),
    a_tool("git_log", server="git", description="Show the commits of a repository."),
    a_tool("list_tables", server="base", description="List the tables."),
    a_tool("find_pages", server="base", description="Find pages of notes."),
)
TASK = a_task((expected_call("web_search", server="brave"),), tools=("web_search", "git_log"), servers=("brave", "git"))


def _suite(**conditions: Any) -> SuiteManifest:
    names = ("brave", "ddg", "git", "base")
    servers = [ServerRef(name=name, transport="in_process", factory=f"{name}:server") for name in names]
    return a_suite(*servers, categories=CATEGORIES, **conditions)


def _added(task: Task, **conditions: Any) -> list[str]:
    exposed = expose(task, _suite(**conditions), OFFERED).tools
    return [tool.name for tool in exposed if tool.name not in ("web_search", "git_log")]


def _notes(**conditions: Any) -> str:
    return expose(TASK, _suite(**conditions), OFFERED).notes[-1]


def test_distractors_of_the_category_are_tools_of_the_required_tools_categories_only() -> None:
    # The task also lists a tool of git, which its reference does not call.
    assert set(_added(TASK, distractors=5, distractor_choice="category")) == {"search", "fetch_content"}
    assert _notes(distractors=5, distractor_choice="category") == (
        "distractors (category): 2 of 5; there are no more tools in the categories of the required tools"
    )
    assert _notes(distractors=1, distractor_choice="category") == "distractors (category): 1"


def test_without_a_reference_the_tasks_own_tools_determine_the_categories() -> None:
    task = a_task(tools=("git_log",), servers=("git",))
    assert _added(task, distractors=5, distractor_choice="category") == []


def test_a_server_without_a_category_is_a_category_of_its_own() -> None:
    task = a_task((expected_call("list_tables", server="base"),), tools=("list_tables",))
    exposed = expose(task, _suite(distractors=5, distractor_choice="category"), OFFERED).tools
    assert [tool.name for tool in exposed] == ["list_tables", "find_pages"]


@pytest.mark.parametrize(
    ("number", "nearest"),
    [(1, ["search"]), (2, ["search", "find_pages"]), (3, ["search", "fetch_content", "find_pages"])],
)
def test_near_distractors_are_the_tools_most_similar_to_the_required_ones(number: int, nearest: list[str]) -> None:
    assert _added(TASK, distractors=number, distractor_choice="near") == nearest


def test_equally_near_tools_are_drawn_by_the_task_and_the_seed() -> None:
    tools = tuple(a_tool(f"other_{letter}", server="base") for letter in "abcdefgh")
    drawn = {
        seed: expose(TASK, _suite(distractors=3, distractor_choice="near", seed=seed), (*OFFERED[:1], *tools)).tools
        for seed in range(4)
    }
    assert len({tuple(tool.name for tool in each) for each in drawn.values()}) > 1


@pytest.mark.parametrize(
    ("choice", "started"),
    [
        ("random", ["brave", "ddg", "git", "base"]),
        ("near", ["brave", "ddg", "git", "base"]),
        ("category", ["brave", "ddg", "git"]),
    ],
)
def test_only_servers_that_may_offer_distractors_are_started(choice: str, started: list[str]) -> None:
    suite = _suite(distractors=2, distractor_choice=choice)
    assert [server.name for server in servers_needed(TASK, suite)] == started
