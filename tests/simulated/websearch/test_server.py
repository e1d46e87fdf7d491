"""The web search server: pages by relevance, their text on one line, and the errors of the real server."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.websearch.page import Page, page_file, read_page
from pytest_mcpbench.simulated.websearch.server import SIMULATION
from pytest_mcpbench.simulated.websearch.world import PAGES, packaged_web

TEA = "https://food.example/tea"
SEED = {
    "pages": {
        TEA: {"title": "Tea", "date": "2025-05-01", "body": "# Green tea\n\nBrew **green tea** at 80 degrees."},
        "https://food.example/soup?kind=pea": {
            "title": "Pea soup",
            "date": "2025-05-02",
            "body": "| Peas | Water |\n|---|---|\n| 1 | 3 |\n\nSee [tea](https://food.example/tea).\n\n- Salt\n- Mint",
        },
        "https://long.example": {"title": "Long", "body": "word " * 2000},
    }
}


def call(tool: str, seed: Any = SEED, **arguments: Any) -> str:
    state = SIMULATION.state(World("web", Path("/nowhere"), DEFAULT_NOW, Ids("a-task"), seed))
    answer: str = SIMULATION.call(state, tool, arguments)
    return answer


def test_results_are_listed_with_title_address_and_beginning() -> None:
    assert call("search", query="green tea degrees") == (
        "Found 2 search results:\n\n"
        "1. Tea\n   URL: https://food.example/tea\n   Summary: Green tea Brew green tea at 80 degrees.\n\n"
        "2. Pea soup\n   URL: https://food.example/soup?kind=pea\n   Summary: Peas Water 1 3 See tea. Salt Mint\n"
    )


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (0, 1), (2, 2), (99, 10)])
def test_at_least_one_and_at_most_ten_results_are_listed(limit: int, count: int) -> None:
    assert call("search", None, query="isles", max_results=limit).startswith(f"Found {count} search results")


def test_words_that_stand_nowhere_find_nothing() -> None:
    assert call("search", query="xylophone").startswith("No results were found for your search query.")


@pytest.mark.parametrize("url", [TEA, "http://food.example/tea", "https://www.food.example/tea/", f" {TEA}#brewing"])
def test_an_address_may_be_written_in_several_ways(url: str) -> None:
    assert call("fetch_content", url=url) == "Tea Green tea Brew green tea at 80 degrees. Published 2025-05-01"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://food.example/coffee", "Client error '404 Not Found' for url 'https://food.example/coffee'"),
        ("https://nowhere.example/", "[Errno -2] Name or service not known"),
        ("food.example/tea", "Request URL is missing an 'http://' or 'https://' protocol."),
        ("file:///etc/hostname", "Request URL has an unsupported protocol 'file://'."),
        ("http://[broken", "[Errno -2] Name or service not known"),
    ],
)
def test_an_address_without_a_page_is_an_error(url: str, problem: str) -> None:
    with pytest.raises(ToolFailure) as caught:
        call("fetch_content", url=url)
    assert str(caught.value).startswith(f"Error: Could not access the webpage ({problem}")


def test_a_long_page_is_cut() -> None:
    text = call("fetch_content", url="https://long.example")
    assert (len(text), text[-23:]) == (8000 + 23, "... [content truncated]")


def test_a_seed_that_is_no_web_is_refused() -> None:
    with pytest.raises(SandboxError, match="the seed of a small web is"):
        call("search", {"mails": {}}, query="tea")


def test_a_page_is_read_as_it_was_written() -> None:
    page = Page(TEA, "Tea: green", "2025-05-01", "# Tea\n\n---\n\nGreen.")
    assert read_page(page_file(page)) == page


def test_every_shipped_page_has_an_address_and_a_title_of_its_own() -> None:
    pages = [read_page(file.read_text(encoding="utf-8")) for file in PAGES.glob("*.md")]
    assert len({page.url for page in pages}) == len({page.title for page in pages}) == len(pages) >= 60
    assert all(packaged_web().read(page.url) == page.text for page in pages)
