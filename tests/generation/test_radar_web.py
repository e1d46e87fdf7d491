"""The questions about the small web: answers from facts that stand on the pages, which a search finds."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from pytest_mcpbench.generation import radar
from pytest_mcpbench.generation.radar.web import (
    WebQuestion,
    derivation,
    facts,
    format_answer,
    only,
    page_files,
    pages,
    questions,
    standings,
)

QUESTIONS = questions()
PAGES = pages()


def test_the_pages_that_ship_are_those_that_are_made() -> None:
    shipping = {file.name: file.read_text(encoding="utf-8") for file in radar.PAGES.glob("*.md")}
    assert shipping == page_files()


def test_there_are_as_many_questions_as_in_the_paper_and_many_need_several_pages() -> None:
    several = [one for one in QUESTIONS if len({page for page, _ in one.passages}) > 1]
    assert (len(QUESTIONS), len(several)) == (94, 43)


def test_the_passages_that_an_answer_needs_are_on_their_pages() -> None:
    passages = [passage for question in QUESTIONS for passage in question.passages]
    assert [(page, text) for page, text in passages if text not in PAGES[page].text] == []


def test_the_searches_use_what_the_question_or_an_earlier_page_says() -> None:
    assert [query for question in QUESTIONS for query in _unknown_queries(question)] == []


def _unknown_queries(question: WebQuestion) -> Iterator[str]:
    text_by_url = {page.url: page.text for page in PAGES.values()}
    known = question.prompt
    for call in derivation(question)["calls"]:
        if call["tool"] == "search" and call["arguments"]["query"] not in known:
            yield call["arguments"]["query"]
        known += text_by_url.get(call["arguments"].get("url", ""), "")


def test_the_tables_of_the_league_count_every_match_once() -> None:
    for season in facts()["league"].values():
        table = standings(season)
        assert [one.won + one.drawn + one.lost for one in table] == [10] * 6
        assert sum(one.scored for one in table) == sum(one.conceded for one in table)


def test_towns_mayors_and_births_fit_together() -> None:
    towns = facts()["towns"]
    assert {town["island"] for town in towns.values()} == set(facts()["islands"])
    assert {person["birthplace"] for person in facts()["people"].values()} <= set(towns)
    assert {company["town"] for company in facts()["companies"].values()} <= set(towns)


def test_a_question_with_two_answers_is_refused() -> None:
    with pytest.raises(ValueError, match="too many values"):
        only(["Halse", "Stell"])


@pytest.mark.parametrize(
    ("answer", "text"), [(4812, "4812"), (date(2025, 11, 28), "2025-11-28"), (["Stell", 7], "Stell, 7"), (9.1, "9.1")]
)
def test_an_answer_is_written_plainly(answer: Any, text: str) -> None:
    assert format_answer(answer) == text
