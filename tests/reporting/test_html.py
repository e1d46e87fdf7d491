"""Pages are readable, bounded, and nothing in them is markup of others."""

import html as escaping
import json
import re

import pytest

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting import html
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.reporting.samples import LANGUAGES, a_record, a_report, card, one_of_each, report_of, scored


def by_id(task_id: str) -> RunRecord:
    return next(record for record in one_of_each() if record.task_id == task_id)


def the_page() -> str:
    records = one_of_each()
    return "".join(html.page(report_of(records), [(Entry.of(record), record) for record in records]))


def test_columns_are_model_metrics_and_cost() -> None:
    assert html.columns(report_of(one_of_each())) == ("model", "ast", "answer", "cost")


def test_cells_say_why_there_is_no_number() -> None:
    headings = ("model", "ast", "cost")
    silent = scored("a", None)
    shown = [
        [cell.text for cell in html.cells(entry, headings)]
        for entry in (scored("a", 0.5), silent, silent.model_copy(update={"not_applicable": ("ast",)}))
    ]
    assert shown == [["m", "0.500", "$0"], ["m", "unscored", "$0"], ["m", "n/a", "$0"]]


def test_a_column_is_sorted_by_numbers_or_by_words_never_by_both() -> None:
    entries = [scored("a", 0.5), scored("b", None), scored("c", 1, model="z")]
    headings = ("model", "ast", "other", "cost")
    rows = [[type(cell.order) for cell in html.cells(entry, headings)] for entry in entries]
    rows.append([type(cell.order) for cell in html.empty_cells(headings)])
    assert all(row == [str, float, float, float] for row in rows)


def test_a_row_opens_to_request_scores_calls_reference_and_steps() -> None:
    shown = html.attempt_details(by_id("fail"))
    for text in (
        "What is in a.txt?",
        "no call of read(path='a.txt')",
        "does not apply",
        "I do not know.",
        "milk, eggs",
    ):
        assert (text in shown) is (text != "does not apply")
    assert [re.sub(r"<[^>]+>", "", heading) for heading in re.findall(r"<h4>.*?</h4>", shown)] == [
        "Request",
        "Scores",
        "Calls, expected and actual",
        "Reference",
        "Trajectory",
    ]


def test_an_error_is_shown_in_full() -> None:
    shown = html.attempt_details(by_id("error"))
    assert "Error (server)" in shown
    assert "server 'notes' failed to start: it exited (exit code 1)" in escaping.unescape(shown)


@pytest.mark.parametrize("characters", [html.MOST_OF_AN_ATTEMPT, html.LEAST_OF_AN_ATTEMPT], ids=["few", "many"])
def test_hostile_text_is_no_markup(characters: int) -> None:
    shown = html.attempt_details(by_id("harm"), characters)
    assert not re.search(r"<(script|img|svg|/script|iframe)", shown)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert LANGUAGES.split()[1] in html.attempt_details(by_id("harm"))


def test_the_only_script_of_a_page_is_ours_and_nothing_is_loaded() -> None:
    page = the_page()
    assert page.count("<script") == 1
    assert "script-src &#39;sha256-" in page or "script-src 'sha256-" in page
    assert not re.search(r"<(img|svg|iframe|link|object|form)\b", page)
    assert "<!--run-->" not in page


def test_a_megabyte_of_tool_output_is_cut() -> None:
    assert len(html.attempt_details(by_id("big"))) < 250_000


def test_a_page_of_a_thousand_long_attempts_stays_small() -> None:
    body = json.dumps(
        [{"id": number, "name": f"item <{number}> & co", "text": "lorem ipsum " * 8} for number in range(12)]
    )
    steps = [(a_call("read", {"path": f"{number}.txt"}, result=body),) for number in range(20)]
    record = a_record(
        a_task((expected_call("read"),), ask="Read. " * 20), evidence_of(*steps, answer=body), card(0, "no call")
    )
    shown = html.attempt_details(record, html.budget(1_000))
    in_pytest_html = len(escaping.escape(json.dumps(shown)))
    assert in_pytest_html * 1_000 < 15_000_000


def test_short_texts_stay_whole_and_long_ones_share_the_rest() -> None:
    assert html.fair_limit([10, 20, 1_000, 5_000], 630) == 300
    assert html.fair_limit([10, 20], 630) == 20
    assert html.fair_limit([], 10) == 0


def test_the_summary_has_every_table() -> None:
    shown = html.summary(report_of(one_of_each("m") + one_of_each("other")))
    for title in (
        "Results",
        "Metrics",
        "Against the best",
        "What went wrong",
        "Errors",
        "Tool calls",
        "Tool definitions",
        "Tool definitions by category",
    ):
        assert f">{title}<" in shown


def test_an_empty_report_is_a_page() -> None:
    assert "".join(html.page(a_report(), ())).endswith("</html>\n")
