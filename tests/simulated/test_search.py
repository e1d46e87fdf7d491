"""The search servers: one index of the simulated sites, two providers."""

from typing import Any

import pytest

from pytest_mcpbench.simulated.browser import sites
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.search.google import SIMULATION as GOOGLE
from pytest_mcpbench.simulated.search.tavily import SIMULATION as TAVILY

FERRY = "https://ferry.bellmar.example"


def _call(simulation: Simulation, tool: str, **arguments: Any) -> Any:
    return simulation.call(None, tool, arguments)


@pytest.mark.parametrize(
    ("query", "url"),
    [
        pytest.param("Bellmar ferry timetable", f"{FERRY}/", id="English"),
        pytest.param("паром Беллмар", f"{FERRY}/ru", id="Russian"),
        pytest.param("traversier de Bellmar départs", f"{FERRY}/fr", id="French"),
        pytest.param("transbordador de Bellmar salidas", f"{FERRY}/es", id="Spanish"),
        pytest.param("贝尔马渡轮 开船时间", f"{FERRY}/zh", id="Chinese"),
    ],
)
def test_both_providers_find_the_page_first(query: str, url: str) -> None:
    tavily = _call(TAVILY, "tavily_search", query=query)["results"][0]["url"]
    google = _call(GOOGLE, "google_search", query=query)[0]["link"]
    assert (tavily, google) == (url, url)


def test_what_is_found_can_be_opened_and_read() -> None:
    found = _call(TAVILY, "tavily_search", query="Nine Winters Petra Lund")["results"][0]["url"]
    assert sites.fetch(found).status == 200
    assert "978-0-55-503019-5" in _call(GOOGLE, "read_webpage", url=found)["text"]


def test_no_more_results_are_given_than_wanted() -> None:
    assert len(_call(TAVILY, "tavily_search", query="Bellmar", max_results=2)["results"]) == 2
    assert len(_call(GOOGLE, "google_search", query="Bellmar", num=1)) == 1


def test_extraction_names_the_pages_that_failed() -> None:
    extracted = _call(TAVILY, "tavily_extract", urls=[f"{FERRY}/fares", f"{FERRY}/nothing"])
    assert [each["url"] for each in extracted["results"]] == [f"{FERRY}/fares"]
    assert extracted["failed_results"] == [{"url": f"{FERRY}/nothing", "error": "Failed to fetch url"}]


def test_a_map_has_the_pages_of_the_site_alone() -> None:
    assert _call(TAVILY, "tavily_map", url=FERRY, limit=3)["results"] == [
        f"{FERRY}/es",
        f"{FERRY}/fares",
        f"{FERRY}/fr",
    ]


@pytest.mark.parametrize(
    ("simulation", "tool", "arguments", "message"),
    [
        (TAVILY, "tavily_extract", {"urls": ["https://x.example"]}, "Tavily API error: could not be found"),
        (TAVILY, "tavily_map", {"url": "https://x.example"}, "Tavily API error: could not be found"),
        (GOOGLE, "read_webpage", {"url": "https://x.example"}, "status code 404"),
        (GOOGLE, "google_search", {"query": "x", "num": "3"}, "Expected integer, received string"),
        (GOOGLE, "google_search", {"query": "x", "num": 11}, "Number must be less than or equal to 10"),
        (TAVILY, "tavily_search", {"query": "x", "max_results": 0}, "Number must be greater than or equal to 1"),
    ],
)
def test_what_is_refused(simulation: Simulation, tool: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        _call(simulation, tool, **arguments)
    assert message in str(refused.value)
