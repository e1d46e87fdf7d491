"""The questions about the small web: answers from facts that stand on the pages, which a search finds."""

import pytest

from pytest_mcpbench.generation import radar
from pytest_mcpbench.generation.radar.web import Question, page_files, pages, questions
from pytest_mcpbench.generation.radar.web.facts import facts, standings
from pytest_mcpbench.generation.radar.web.question import ask, single
from pytest_mcpbench.simulated.websearch.world import packaged_web

QUESTIONS = questions()
MADE = pages()
ASKED = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.prompt[:60])


def test_the_pages_that_ship_are_those_that_are_made() -> None:
    shipping = {file.name: file.read_text(encoding="utf-8") for file in radar.PAGES.glob("*.md")}
    assert shipping == page_files()


def test_there_are_as_many_questions_as_in_the_paper_and_many_need_several_pages() -> None:
    several = [one for one in QUESTIONS if len({page for page, _ in one.passages}) > 1]
    assert (len(QUESTIONS), len(several)) == (94, 43)


@ASKED
def test_what_the_answer_needs_stands_on_the_pages(question: Question) -> None:
    assert [(page, text) for page, text in question.passages if text not in MADE[page].text] == []


@ASKED
def test_the_pages_are_found_by_the_question_or_by_names_on_pages_before(question: Question) -> None:
    found = {page.url for page in packaged_web().search(question.prompt)}
    known = f"{question.prompt} {MADE['overview'].text}"
    for name in dict.fromkeys(page for page, _ in question.passages):
        page = MADE[name]
        assert page.url in found or page.title.partition(" - ")[0].partition(":")[0].partition(",")[0] in known
        known += page.text


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
        single(["Halse", "Stell"])


def test_numbers_are_seen_as_pages_write_them_and_answered_plainly() -> None:
    assert ask("How many?", 4812, ("town-corrath", 4812)) == Question("How many?", "4812", (("town-corrath", "4,812"),))
