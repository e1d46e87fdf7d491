"""Web search domain: pages about invented islands, and questions that only these pages answer."""

from typing import Any

from pytest_mcpbench.generation.radar.web.pages import page_files, pages
from pytest_mcpbench.generation.radar.web.question import WebQuestion, questions
from pytest_mcpbench.simulated.websearch.world import packaged_web

__all__ = ["WebQuestion", "derivation", "page_files", "pages", "questions"]


# Searches that find the pages from which an answer follows.


def derivation(question: WebQuestion) -> dict[str, Any]:
    """Return the searches for a question's pages, with the passages that they show.

    The first search is for the question; pages that it does not find are searched by the name that an earlier page has.
    """
    made = pages()
    calls: list[dict[str, Any]] = []
    shown: dict[str, list[str]] = {}
    found: dict[str, str] = {}

    def call(tool: str, **arguments: str) -> str:
        calls.append({"tool": tool, "arguments": arguments})
        return str(len(calls))

    def search(query: str) -> None:
        made_as = call("search", query=query)
        found.update({page.url: made_as for page in packaged_web().search(query) if page.url not in found})

    search(question.prompt)
    for name in dict.fromkeys(name for name, _ in question.passages):
        page = made[name]
        if page.url not in found:
            # What a page is about: its title without what follows a dash, colon or comma.
            search(page.title.partition(" - ")[0].partition(":")[0].partition(",")[0])
        shown.setdefault(found[page.url], []).append(page.url)
        shown[call("fetch_content", url=page.url)] = [text for place, text in question.passages if place == name]
    return {"calls": calls, "shown": shown}
