"""Sections of the page: tables, tabs, and the order of headings."""

import re

from markupsafe import Markup

from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.tables.section import Section, sentence, table_markup, tabs
from pytest_mcpbench.reporting.tables.table import Table
from tests.reporting.samples import HOSTILE


def a_section(anchor: str, title: str, suite: str | None = None) -> Section:
    return Section(anchor, title, Markup("<p>{}</p>").format(anchor), suite)


def test_a_table_has_a_caption_and_headings_of_columns_and_rows() -> None:
    made = table_markup(Table("Results", ("suite", "model", "n"), (("radar", "m", "3"),), words=2, note="of 3"))
    assert made == (
        '<figure class="table" tabindex="0" role="group" aria-label="Results"><table><caption>Results</caption>'
        '<thead><tr><th scope="col" class="words">suite</th><th scope="col" class="words">model</th>'
        '<th scope="col">n</th></tr></thead><tbody><tr><th scope="row" class="words">radar</th>'
        '<td class="words">m</td><td>3</td></tr>'
        "</tbody></table><figcaption>of 3</figcaption></figure>"
    )


def test_text_of_a_table_is_escaped() -> None:
    made = table_markup(Table(HOSTILE, (HOSTILE,), ((HOSTILE,),), note=HOSTILE))
    assert "<script" not in made
    assert "<img" not in made
    assert "\u202e" not in made


def test_no_line_ends_within_a_number_or_a_range() -> None:
    texts = ("76 – 95 % (3 of 8", "−6.2 … +45.8 points", "93 % at 0.2 × its", "lists – as here … and tools")
    joined = ("76_–\u2060_95_% (3 of 8", "−6.2_…_+45.8 points", "93_% at 0.2_× its", "lists_– as here_… and tools")
    assert [sentence(text).replace("\u00a0", "_") for text in texts] == [*joined]


def test_one_choice_of_the_suite_is_for_all_sections() -> None:
    sections = [
        a_section("verdict", "Verdict"),
        a_section("leaderboard-radar", "Leaderboard", "radar"),
        a_section("leaderboard-atlas", "Leaderboard", "atlas"),
        a_section("sweep-atlas", "Sweep", "atlas"),
        a_section("glossary", "Glossary"),
    ]
    text = "".join(page(title="Report", sections=sections))
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", text) == ["Verdict", "Leaderboard", "Sweep", "Glossary"]
    assert re.findall(r'<input type="radio"[^>]*?( checked)?><label[^>]*>(.*?)</label>', text) == [
        (" checked", "radar"),
        ("", "atlas"),
        ("", "all"),
    ]
    assert re.findall(r'<h3 class="suite-name">(.*?)</h3>', text) == ["radar", "atlas", "atlas"]
    assert "radar has nothing to show here." in text


def test_a_page_of_one_suite_has_no_choice() -> None:
    text = "".join(page(title="Report", sections=[a_section("leaderboard-radar", "Leaderboard", "radar")]))
    assert 'type="radio"' not in text
    assert "<h3" not in text


def test_a_single_panel_needs_no_tab() -> None:
    assert tabs("t", "Suite", [("radar", Markup("<p>one</p>"))]) == "<p>one</p>"
